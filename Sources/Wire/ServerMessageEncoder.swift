public import PadModel

/// Writes what the server sends.
public enum ServerMessageEncoder {
  /// Writes `message` for a connection of `format`.
  ///
  /// The state inside the `welcome` of a lock's room is padded to its pad by itself.
  ///
  /// - Parameters:
  ///   - message: the message.
  ///   - format: the receiver's format.
  ///   - nodeCount: see ``StateEncoder/encode(_:as:paddedTo:into:)``; only for states.
  ///   - buffer: what it holds is replaced; its storage is kept.
  /// - Returns: whether it is to be sent as text.
  @discardableResult
  public static func encode(
    _ message: ServerMessage, as format: WireFormat, paddedTo nodeCount: Int? = nil,
    into buffer: inout [UInt8]
  ) -> Bool {
    if case .state(let state) = message {
      StateEncoder.encode(state, as: format, paddedTo: nodeCount, into: &buffer)
      return format == .json
    }
    var writer = JSONWriter(reusing: &buffer)
    writer.message(message)
    writer.finish(into: &buffer)
    return true
  }
}

extension JSONWriter {
  fileprivate mutating func message(_ message: ServerMessage) {
    switch message {
    case .welcome(let welcome): self.welcome(welcome)
    case .members(let members): self.members(members)
    case .pen(let status): pen(status)
    case .state(let state): self.state(state)
    case .verdict(let verdict): self.verdict(verdict)
    case .lockout(let lockout):
      open("lockout")
      fields(of: lockout)
      closeObject()
    case .device(let token):
      open("device")
      field(.token, token)
      closeObject()
    case .enrol(let status): enrol(status)
    case .offerGrant(let id): offer(id)
    case .grant(let grant): self.grant(grant)
    case .error(let failure): self.failure(failure)
    case .goAway(let reason, let milliseconds): goAway(reason, milliseconds)
    }
  }

  private mutating func members(_ members: Members) {
    open("members")
    field(.viewers, members.viewers)
    name(.controllers)
    openArray()
    for controller in members.controllers {
      openObject()
      field(.member, controller.member.description)
      if let name = controller.name { field(.name, name.text) }
      closeObject()
    }
    closeArray()
    field(.actuators, members.actuators)
    closeObject()
  }

  private mutating func pen(_ status: PenStatus) {
    open("pen")
    if let holder = status.holder {
      field(.holder, holder.description)
    } else {
      name(.holder)
      raw("null")
    }
    if let name = status.name { field(.name, name.text) }
    field(.waiting, status.waiting)
    closeObject()
  }

  private mutating func verdict(_ verdict: Verdict) {
    open("verdict")
    field(.stroke, Int(verdict.stroke))
    field(.outcome, verdict.outcome.rawValue)
    field(.retryAfterMs, Int(verdict.retryAfterMilliseconds))
    field(.failures, verdict.failures)
    field(.actuators, verdict.actuators)
    if let opened = verdict.opened { field(.opened, opened) }
    closeObject()
  }

  private mutating func enrol(_ status: EnrolStatus) {
    open("enrol")
    field(.step, status.step.rawValue)
    if let reason = status.reason { field(.reason, reason) }
    closeObject()
  }

  private mutating func offer(_ id: GrantID) {
    open("grant.offer")
    field(.id, id.hexadecimal)
    closeObject()
  }

  private mutating func grant(_ grant: Grant) {
    open("grant")
    field(.id, grant.id.hexadecimal)
    field(.lock, grant.lock.text)
    field(.audience, grant.audience.description)
    field(.action, "open")
    field(.demo, grant.isDemo)
    field(.keyId, Int(grant.keyID))
    field(.nonce, grant.nonce.hexadecimal)
    field(.signature, Base64URL.encode(grant.signature))
    closeObject()
  }

  private mutating func failure(_ failure: Failure) {
    open("error")
    field(.code, failure.code.rawValue)
    field(.message, failure.message)
    field(.retryable, failure.retryable)
    if let wait = failure.retryAfterMilliseconds { field(.retryAfterMs, Int(wait)) }
    closeObject()
  }

  private mutating func goAway(_ reason: CloseReason, _ milliseconds: UInt32) {
    open("goaway")
    field(.reason, reason.wireName)
    field(.reconnectAfterMs, Int(milliseconds))
    closeObject()
  }
}
