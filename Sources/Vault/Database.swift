import CSQLite
import Foundation

/// One connection to the database; it belongs to one thread at a time and closes itself.
package final class Database {
  /// The connection, which only this type and ``Statement`` touch.
  let handle: OpaquePointer
  /// Called before each statement that changes rows and before each commit; tests make it throw.
  var beforeWrite: (() throws(VaultError) -> Void)?

  /// Opens the file, made with mode 0600 if it is missing, and brings its schema up to date.
  package init(path: String) throws(VaultError) {
    try Self.makeFile(path)
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    let result = sqlite3_open_v2(path, &opened, flags, nil)
    guard let opened else { throw .database(code: result, doing: "opening it") }
    handle = opened
    guard result == SQLITE_OK else { throw .database(code: result, doing: "opening it") }
    sqlite3_busy_timeout(handle, 5000)
    for pragma in Self.pragmas { try run(pragma) }
    try Schema.migrate(self)
  }

  /// Makes the file if it is missing and looks at whose it is.
  ///
  /// One that is there is never opened here: closing any descriptor of a file gives up all of the
  /// process's locks on it, those of SQLite too, and without them another process would take away the
  /// log that this one works with.
  private static func makeFile(_ path: String) throws(VaultError) {
    let made = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if made >= 0 { close(made) }
    guard made >= 0 || errno == EEXIST else {
      throw .file(path: path, doing: "open", errno: errno)
    }
    var status = stat()
    guard lstat(path, &status) == 0 else {
      throw .file(path: path, doing: "look at", errno: errno)
    }
    guard status.st_mode & S_IFMT == S_IFREG, DataDirectory.isTrusted(status),
      status.st_mode & 0o077 == 0
    else { throw .untrusted(path: path, status) }
  }

  deinit { sqlite3_close_v2(handle) }

  /// FULL, since an attempt must be on the disk before it is acted on; `secure_delete`, since a
  /// revoked secret must not stay in a free page.
  private static let pragmas = [
    "PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", "PRAGMA secure_delete = ON",
    "PRAGMA foreign_keys = ON", "PRAGMA trusted_schema = OFF",
  ]

  /// Prepares a statement and binds its parameters.
  func prepare(_ sql: String, _ parameters: [SQLValue] = []) throws(VaultError) -> Statement {
    let statement = try Statement(sql, on: self)
    try statement.bind(parameters)
    return statement
  }

  /// Runs one statement to its end and answers how many rows it changed.
  @discardableResult
  package func run(_ sql: String, _ parameters: [SQLValue] = []) throws(VaultError) -> Int {
    let statement = try prepare(sql, parameters)
    if statement.writes, let beforeWrite { try beforeWrite() }
    while try statement.step() {}
    return Int(sqlite3_changes(handle))
  }

  /// The first row of a query, or nil.
  package func first<Value>(
    _ sql: String, _ parameters: [SQLValue] = [], read: (Statement) -> Value
  ) throws(VaultError) -> Value? {
    let statement = try prepare(sql, parameters)
    return try statement.step() ? read(statement) : nil
  }

  /// All rows of a query.
  package func all<Value>(
    _ sql: String, _ parameters: [SQLValue] = [], read: (Statement) -> Value
  ) throws(VaultError) -> [Value] {
    let statement = try prepare(sql, parameters)
    var rows: [Value] = []
    while try statement.step() { rows.append(read(statement)) }
    return rows
  }

  /// Runs `work` as one transaction: all of it is on the disk, or none.
  func transaction<Result>(
    _ work: () throws(VaultError) -> Result
  ) throws(VaultError) -> Result {
    try run("BEGIN IMMEDIATE")
    do throws(VaultError) {
      let result = try work()
      if let beforeWrite { try beforeWrite() }
      try run("COMMIT")
      return result
    } catch {
      _ = try? run("ROLLBACK")
      throw error
    }
  }

  /// Runs `work`, which only reads, on one state of the database.
  func snapshot<Result>(
    _ work: () throws(VaultError) -> Result
  ) throws(VaultError) -> Result {
    try run("BEGIN")
    do throws(VaultError) {
      let result = try work()
      try run("COMMIT")
      return result
    } catch {
      _ = try? run("ROLLBACK")
      throw error
    }
  }

  /// Grows when another connection has changed the database.
  func dataVersion() throws(VaultError) -> Int64 {
    try first("PRAGMA data_version") { $0.integer(0) } ?? 0
  }

  func failure(_ code: Int32, doing: String) -> VaultError { .database(code: code, doing: doing) }
}

/// A value of a row.
package enum SQLValue: Equatable, Sendable {
  case integer(Int64)
  case text(String)
  case blob([UInt8])
  case null

  static func integer(_ value: Int) -> SQLValue { .integer(Int64(value)) }
  static func optional(_ value: Int64?) -> SQLValue { value.map { .integer($0) } ?? .null }
}

/// One prepared statement, finalized with its owner.
package final class Statement {
  private let handle: OpaquePointer
  private let database: Database

  fileprivate init(_ sql: String, on database: Database) throws(VaultError) {
    var prepared: OpaquePointer?
    let code = sqlite3_prepare_v2(database.handle, sql, -1, &prepared, nil)
    guard code == SQLITE_OK, let prepared else {
      throw database.failure(code, doing: "preparing a statement")
    }
    handle = prepared
    self.database = database
  }

  deinit { sqlite3_finalize(handle) }

  /// Whether it changes rows, as opposed to reading or to beginning and ending a transaction.
  fileprivate var writes: Bool { sqlite3_stmt_readonly(handle) == 0 }

  /// Tells SQLite to copy the bytes: they are gone after the call.
  private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  fileprivate func bind(_ parameters: [SQLValue]) throws(VaultError) {
    precondition(Int(sqlite3_bind_parameter_count(handle)) == parameters.count)
    for (offset, value) in parameters.enumerated() {
      let index = Int32(offset + 1)
      let code =
        switch value {
        case .integer(let number): sqlite3_bind_int64(handle, index, number)
        case .text(let text):
          sqlite3_bind_text(handle, index, text, Int32(text.utf8.count), Self.transient)
        case .blob(let bytes):
          sqlite3_bind_blob(handle, index, bytes, Int32(bytes.count), Self.transient)
        case .null: sqlite3_bind_null(handle, index)
        }
      guard code == SQLITE_OK else { throw database.failure(code, doing: "binding a value") }
    }
  }

  /// Goes to the next row; false at the end.
  fileprivate func step() throws(VaultError) -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw database.failure(code, doing: "reading or writing")
    }
  }

  /// A column as a number.
  package func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  func optionalInteger(_ column: Int32) -> Int64? {
    sqlite3_column_type(handle, column) == SQLITE_NULL ? nil : integer(column)
  }

  /// A column as it is.
  func value(_ column: Int32) -> SQLValue {
    switch sqlite3_column_type(handle, column) {
    case SQLITE_INTEGER: .integer(integer(column))
    case SQLITE_TEXT: .text(text(column))
    case SQLITE_BLOB: .blob(blob(column))
    default: .null
    }
  }

  /// A column as text, with all of its bytes: a NUL that somebody put in does not end it.
  package func text(_ column: Int32) -> String {
    guard let start = sqlite3_column_text(handle, column) else { return "" }
    let count = Int(sqlite3_column_bytes(handle, column))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  /// A column as bytes.
  package func blob(_ column: Int32) -> [UInt8] {
    guard let start = sqlite3_column_blob(handle, column) else { return [] }
    let count = Int(sqlite3_column_bytes(handle, column))
    return Array(UnsafeRawBufferPointer(start: start, count: count))
  }
}
