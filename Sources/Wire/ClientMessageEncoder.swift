public import PadModel

/// Writes what a client sends.
public enum ClientMessageEncoder {
  /// Writes `message` for a connection of `format`.
  ///
  /// - Parameters:
  ///   - message: has a value that the protocol allows, such as a stroke that is not 0.
  ///   - format: the connection's format.
  ///   - buffer: what it holds is replaced; its storage is kept.
  /// - Returns: whether it is to be sent as text.
  @discardableResult
  public static func encode(
    _ message: ClientMessage, as format: WireFormat, into buffer: inout [UInt8]
  ) -> Bool {
    switch (message, format) {
    case (.samples(let batch), .binary):
      encodeSamples(batch, into: &buffer)
      return false
    case (.acknowledge(let version), .binary):
      buffer.removeAll(keepingCapacity: true)
      buffer.append(FrameType.acknowledge)
      buffer.append(littleEndian: UInt16(truncatingIfNeeded: version))
      buffer.append(littleEndian: UInt16(truncatingIfNeeded: version >> 16))
      return false
    default:
      var writer = JSONWriter(reusing: &buffer)
      writer.message(message)
      writer.finish(into: &buffer)
      return true
    }
  }

  private static func encodeSamples(_ batch: SampleBatch, into buffer: inout [UInt8]) {
    precondition(batch.samples.count <= Int(UInt8.max), "a frame's count is one byte")
    buffer.removeAll(keepingCapacity: true)
    buffer.append(FrameType.samples)
    buffer.append(batch.action.rawValue)
    buffer.append(littleEndian: batch.stroke)
    buffer.append(UInt8(truncatingIfNeeded: batch.samples.count))
    for sample in batch.samples {
      buffer.append(littleEndian: sample.elapsed)
      buffer.append(littleEndian: UInt16(bitPattern: sample.position.x))
      buffer.append(littleEndian: UInt16(bitPattern: sample.position.y))
    }
  }
}

extension [UInt8] {
  fileprivate mutating func append(littleEndian value: UInt16) {
    append(UInt8(truncatingIfNeeded: value))
    append(UInt8(truncatingIfNeeded: value >> 8))
  }
}

extension JSONWriter {
  fileprivate mutating func message(_ message: ClientMessage) {
    switch message {
    case .hello(let hello): self.hello(hello)
    case .pen(let command): pen(command)
    case .enrol(.begin): open("enrol.begin")
    case .enrol(.confirm): open("enrol.confirm")
    case .enrol(.cancel): open("enrol.cancel")
    case .samples(let batch): samples(batch)
    case .acknowledge(let version):
      open("ack")
      field(.version, Int(version))
    case .claimGrant(let claim):
      open("grant.claim")
      field(.id, claim.id.hexadecimal)
      field(.nonce, claim.nonce.hexadecimal)
    }
    closeObject()
  }

  private mutating func hello(_ hello: Hello) {
    open("hello")
    if let token = hello.token { field(.token, token) }
    field(.room, hello.room.description)
    field(.role, hello.role.rawValue)
    if let name = hello.name { field(.name, name.text) }
    if let rate = hello.maxRate { field(.maxRate, rate) }
    if hello.acknowledges { field(.acks, true) }
    if let resume = hello.resume { field(.resume, resume.hexadecimal) }
    if let device = hello.device { field(.device, device) }
  }

  private mutating func pen(_ command: PenCommand) {
    switch command {
    case .request: open("pen.request")
    case .release: open("pen.release")
    case .take: open("pen.take")
    case .give(let member):
      open("pen.give")
      field(.member, member.description)
    }
  }

  private mutating func samples(_ batch: SampleBatch) {
    open("samples")
    field(.stroke, Int(batch.stroke))
    field(.action, batch.action.wireName)
    if batch.samples.isEmpty { return }
    name(.points)
    openArray()
    for sample in batch.samples {
      openArray()
      integer(Int(sample.elapsed))
      decimal(Positions.tenThousandths(sample.position.x))
      decimal(Positions.tenThousandths(sample.position.y))
      closeArray()
    }
    closeArray()
  }
}
