import PadModel
import Rooms
import Vault

/// The vault's answers as rooms take them.
extension LockProfile {
  var policy: LockPolicy {
    LockPolicy(
      mirror: mirror, minimumNodes: minimumNodes,
      buckets: Dictionary(buckets.map { ($0.id.key, $0.reading.status) }) { $1 })
  }
}

extension BucketID {
  /// The same as rooms call it.
  var key: BucketKey { BucketKey(number) }
}

extension BucketReading {
  var status: BucketStatus { BucketStatus(failures: failures, retryAt: retryAt) }
}

extension AttemptAnswer {
  var report: VerdictReport {
    VerdictReport(
      judgement, bucket: bucket?.status, retryAt: retryAt,
      home: home.map { BucketHome($0.id.key, $0.reading.status) }, device: device?.text)
  }

  private var judgement: Judgement {
    switch outcome {
    case .accepted: .accepted(grant: grant)
    case .rejected: .rejected
    case .lockedOut: .lockedOut
    case .unavailable, .tooShort: .unavailable
    }
  }
}
