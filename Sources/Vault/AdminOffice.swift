import Dispatch

/// A thread that administers, for those who must not wait.
///
/// It has a connection of its own to the database; a running server notices what was changed as it does
/// what the command line changes.
public final class AdminOffice: Sendable {
  private let thread: WorkThread<VaultAdministration>

  /// Opens the database.
  ///
  /// - Throws: ``VaultError``.
  public init(_ configuration: VaultConfiguration) throws(VaultError) {
    thread = try WorkThread(
      name: "admin", idleEvery: .seconds(3600),
      make: { () throws(VaultError) in try VaultAdministration.open(configuration) }, idle: { _ in }
    )
  }

  /// Does a piece of work after those before it; false if the office is closed.
  public func submit(_ work: @escaping @Sendable (VaultAdministration) -> Void) -> Bool {
    thread.submit(work)
  }

  /// Ends the thread after what was submitted.
  public func close() { thread.close() }
}
