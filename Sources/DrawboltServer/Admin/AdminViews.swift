import PadModel
import Vault

/// What is shown to administrators, as JSON.
enum AdminView {
  struct Locks: Encodable {
    let locks: [Lock]
    let damaged: [String]
  }

  struct Lock: Encodable {
    let id, preset, mirror: String
    let columns, rows, minimumNodes, secrets, failures: Int
    let toy: Bool
    let origins: [String]

    init(_ lock: LockSummary) {
      id = lock.id.text
      preset = lock.preset.rawValue
      mirror = lock.mirror.rawValue
      columns = lock.pad.grid.columns
      rows = lock.pad.grid.rows
      minimumNodes = lock.minimumNodes
      secrets = lock.secrets
      failures = lock.failures
      toy = lock.isToy
      origins = lock.origins.map(\.text)
    }
  }

  struct Secrets: Encodable {
    let secrets: [Secret]
  }

  struct Secret: Encodable {
    let number: Int
    let owner: String
    let expires: Int64?
    let hasExpired: Bool
    let usesLeft: Int?

    init(_ secret: SecretSummary) {
      number = secret.number
      owner = secret.owner
      expires = secret.expires
      hasExpired = secret.hasExpired
      usesLeft = secret.usesLeft
    }
  }

  struct SecretNumber: Encodable {
    let number: Int
    let advice: String?
  }

  struct Entries: Encodable {
    let entries: [Entry]
  }

  struct Entry: Encodable {
    let id, time: Int64
    let place, what: String
    let bucket, actor: String?
    let secret: Int?
    let count: Int

    init(_ entry: AuditEntry) {
      id = entry.id
      time = entry.time
      place = entry.place
      what = entry.what
      bucket = entry.bucket
      actor = entry.actor
      secret = entry.secret
      count = entry.count
    }
  }

  struct Rooms: Encodable {
    let rooms: [RoomView]
  }

  struct Tokens: Encodable {
    let keys: [Key]
    let revoked: [Revoked]
  }

  struct Key: Encodable {
    let kid, algorithm: String
    let roles, rooms: [String]
    let longestLifeSeconds: Int64

    init(_ key: TokenKey) {
      kid = key.id
      algorithm = key.algorithm.rawValue
      roles = key.roles.map(\.rawValue)
      rooms = key.rooms.map(\.text)
      longestLifeSeconds = key.longestLife.components.seconds
    }
  }

  struct Revoked: Encodable {
    let id: String
    let until: Int64
  }
}

/// A room, as far as an administrator is shown it: nothing of strokes.
struct RoomView: Encodable, Sendable {
  let name: String
  let members: Int
  let attempts: Int
}
