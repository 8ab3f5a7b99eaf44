/// The database's tables, one step a version.
enum Schema {
  /// Each step brings the schema from its index to the next version; steps are only ever added.
  private static let steps = [
    first, viewWidthAndCancel, seals, originsAndRevocations, devices, admins,
  ]

  static func migrate(_ database: Database) throws(VaultError) {
    let found = try version(database)
    guard found <= steps.count else {
      throw .schemaTooNew(found: found, known: steps.count)
    }
    guard found < steps.count else { return }
    try database.transaction { () throws(VaultError) in
      // Another process may have done it while this one waited.
      for step in steps.dropFirst(try version(database)) {
        for statement in step { try database.run(statement) }
      }
      try database.run("PRAGMA user_version = \(steps.count)")
    }
  }

  private static func version(_ database: Database) throws(VaultError) -> Int {
    max(0, Int(try database.first("PRAGMA user_version") { $0.integer(0) } ?? 0))
  }

  private static let first = [
    // Newest wall clock seen, so that setting it back does not revive an expired secret.
    "CREATE TABLE clock (id INTEGER PRIMARY KEY CHECK (id = 1), wall INTEGER NOT NULL) STRICT",
    "INSERT INTO clock VALUES (1, 0)",
    """
    CREATE TABLE lock (
      id TEXT PRIMARY KEY, preset TEXT NOT NULL, columns INTEGER NOT NULL, rows INTEGER NOT NULL,
      rule TEXT NOT NULL, minimum INTEGER NOT NULL, mirror TEXT NOT NULL, schedule TEXT NOT NULL,
      toy INTEGER NOT NULL, salt BLOB NOT NULL, memory INTEGER NOT NULL, passes INTEGER NOT NULL,
      last_secret INTEGER NOT NULL) STRICT
    """,
    """
    CREATE TABLE secret (
      lock TEXT NOT NULL REFERENCES lock (id) ON DELETE CASCADE, number INTEGER NOT NULL,
      version INTEGER NOT NULL, owner TEXT NOT NULL, created INTEGER NOT NULL, expires INTEGER,
      uses_left INTEGER, given_back INTEGER NOT NULL, enabled INTEGER NOT NULL,
      key INTEGER NOT NULL, nonce BLOB NOT NULL, sealed BLOB NOT NULL,
      PRIMARY KEY (lock, number)) STRICT
    """,
    """
    CREATE TABLE bucket (
      lock TEXT NOT NULL REFERENCES lock (id) ON DELETE CASCADE, kind INTEGER NOT NULL,
      failures INTEGER NOT NULL, generation INTEGER NOT NULL, boot_id TEXT NOT NULL,
      boot INTEGER NOT NULL, wall INTEGER NOT NULL, budget_used INTEGER NOT NULL,
      budget_start INTEGER NOT NULL, PRIMARY KEY (lock, kind)) STRICT
    """,
    // Reservations without a verdict.
    """
    CREATE TABLE attempt (
      id BLOB PRIMARY KEY, lock TEXT NOT NULL, bucket INTEGER NOT NULL, time INTEGER NOT NULL) STRICT
    """,
    """
    CREATE TABLE offer (
      id BLOB PRIMARY KEY, lock TEXT NOT NULL, demo INTEGER NOT NULL, claimed INTEGER NOT NULL,
      boot_id TEXT NOT NULL, boot INTEGER NOT NULL) STRICT
    """,
    """
    CREATE TABLE audit (
      id INTEGER PRIMARY KEY AUTOINCREMENT, time INTEGER NOT NULL, lock TEXT NOT NULL, attempt BLOB,
      bucket INTEGER, outcome TEXT NOT NULL, secret INTEGER, actor TEXT,
      count INTEGER NOT NULL DEFAULT 1) STRICT
    """,
    """
    CREATE UNIQUE INDEX refusal ON audit (lock, bucket, outcome, time)
    WHERE attempt IS NULL AND actor IS NULL
    """,
    // Append-only: what was written stays as it was, but for a refusal's count.
    """
    CREATE TRIGGER audit_stays
    BEFORE UPDATE OF time, lock, attempt, bucket, outcome, secret, actor ON audit
    BEGIN SELECT RAISE (ABORT, 'audit rows are not changed'); END
    """,
  ]

  private static let viewWidthAndCancel = [
    "ALTER TABLE lock ADD COLUMN view_width INTEGER NOT NULL DEFAULT 375",
    "ALTER TABLE lock ADD COLUMN cancel TEXT NOT NULL DEFAULT 'discard'",
    "UPDATE lock SET cancel = 'submit' WHERE preset = 'sa-screen-lock'",
  ]

  /// Rows that are there have no seal yet: only whoever has the key can give them one.
  private static let seals =
    ["lock", "bucket"].flatMap { table in
      [
        "ALTER TABLE \(table) ADD COLUMN key INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE \(table) ADD COLUMN nonce BLOB NOT NULL DEFAULT x''",
        "ALTER TABLE \(table) ADD COLUMN sealed BLOB NOT NULL DEFAULT x''",
      ]
    } + [
      """
      CREATE TABLE key_check (
        id INTEGER PRIMARY KEY CHECK (id = 1), key INTEGER NOT NULL, nonce BLOB NOT NULL,
        sealed BLOB NOT NULL) STRICT
      """
    ]
  private static let originsAndRevocations = [
    "ALTER TABLE lock ADD COLUMN origins TEXT NOT NULL DEFAULT ''",
    // Tokens that do not count any more, by their own number, until they would have ended.
    "CREATE TABLE revocation (token TEXT PRIMARY KEY, expires INTEGER NOT NULL) STRICT",
  ]

  /// A bucket for each secret's devices and each shared pad beside that of the strangers.
  private static let devices = [
    """
    CREATE TABLE buckets (
      lock TEXT NOT NULL REFERENCES lock (id) ON DELETE CASCADE, kind INTEGER NOT NULL,
      holder INTEGER NOT NULL, failures INTEGER NOT NULL, generation INTEGER NOT NULL,
      boot_id TEXT NOT NULL, boot INTEGER NOT NULL, wall INTEGER NOT NULL,
      budget_used INTEGER NOT NULL, budget_start INTEGER NOT NULL, eased INTEGER NOT NULL,
      key INTEGER NOT NULL, nonce BLOB NOT NULL, sealed BLOB NOT NULL,
      PRIMARY KEY (lock, kind, holder)) STRICT
    """,
    """
    INSERT INTO buckets SELECT lock, kind, 0, failures, generation, boot_id, boot, wall, budget_used,
      budget_start, 0, key, nonce, sealed FROM bucket
    """,
    "DROP TABLE bucket",
    "ALTER TABLE buckets RENAME TO bucket",
    // Of the token only a digest.
    """
    CREATE TABLE device (
      digest BLOB PRIMARY KEY, lock TEXT NOT NULL REFERENCES lock (id) ON DELETE CASCADE,
      secret INTEGER NOT NULL, used INTEGER NOT NULL, key INTEGER NOT NULL, nonce BLOB NOT NULL,
      sealed BLOB NOT NULL) STRICT
    """,
    "CREATE INDEX device_secret ON device (lock, secret, used)",
  ]

  private static let admins = [
    """
    CREATE TABLE admin (
      name TEXT PRIMARY KEY, digest BLOB NOT NULL, created INTEGER NOT NULL, key INTEGER NOT NULL,
      nonce BLOB NOT NULL, sealed BLOB NOT NULL) STRICT
    """
  ]
}
