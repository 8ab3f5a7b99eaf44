import Transport

extension LogEvent {
  /// What is said of a certificate that is shown from now on; a warning if somebody must renew it soon.
  static func certificateLoaded(_ identity: TLSIdentity) -> LogEvent {
    .certificateLoaded(expires: identity.expires, isSoon: identity.ends(withinDays: 14))
  }
}
