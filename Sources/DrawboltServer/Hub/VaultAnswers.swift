import PadModel
import Rooms
import Vault

/// The vault's answers as rooms take them.
extension LockProfile {
  var policy: LockPolicy {
    LockPolicy(
      mirror: mirror, minimumNodes: minimumNodes, buckets: [.strangers: bucket.status])
  }
}

extension BucketReading {
  var status: BucketStatus { BucketStatus(failures: failures, retryAt: retryAt) }
}

extension AttemptAnswer {
  var report: VerdictReport {
    VerdictReport(judgement, bucket: bucket?.status, retryAt: retryAt)
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
