import CSQLite

/// The database of a running server, as another process sees it.
final class Rows {
  private let database: OpaquePointer

  init(_ directory: String) throws {
    var opened: OpaquePointer?
    guard sqlite3_open(directory + "/drawbolt.sqlite", &opened) == SQLITE_OK, let opened else {
      throw Failed("cannot open the database")
    }
    database = opened
    sqlite3_busy_timeout(database, 20_000)
  }

  deinit { sqlite3_close(database) }

  /// The first column of the first row, or nil without one.
  @discardableResult
  func run(_ statement: String) throws -> String? {
    var prepared: OpaquePointer?
    guard sqlite3_prepare_v2(database, statement, -1, &prepared, nil) == SQLITE_OK else {
      throw Failed(String(cString: sqlite3_errmsg(database)))
    }
    defer { sqlite3_finalize(prepared) }
    switch sqlite3_step(prepared) {
    case SQLITE_ROW: return sqlite3_column_text(prepared, 0).map { String(cString: $0) }
    case SQLITE_DONE: return nil
    default: throw Failed(String(cString: sqlite3_errmsg(database)))
    }
  }

  /// Looks until the statement answers this; each look reads the file anew.
  func settles(_ statement: String, _ wanted: String) throws -> Bool {
    let end = ContinuousClock.now + .seconds(30)
    while ContinuousClock.now < end {
      if try run(statement) == wanted { return true }
      Patience.pause()
    }
    return false
  }
}
