import PadModel

extension JSONWriter {
  mutating func welcome(_ welcome: Welcome) {
    open("welcome")
    field(.member, welcome.member.description)
    field(.resume, welcome.resume.hexadecimal)
    field(.room, welcome.room.description)
    field(.role, welcome.role.rawValue)
    name(.pad)
    pad(welcome.pad)
    name(.limits)
    limits(welcome.limits)
    name(.pingSeconds)
    seconds(milliseconds: welcome.limits.pingAfter.millisecondsClamped)
    if let lockout = welcome.lockout { fields(of: lockout) }
    if let key = welcome.grantKey { grantKey(key) }
    name(.state)
    nestedState(welcome)
    closeObject()
  }

  mutating func fields(of lockout: Lockout) {
    field(.retryAfterMs, Int(lockout.retryAfterMilliseconds))
    field(.failures, lockout.failures)
  }

  /// The state, followed in a lock's room by spaces up to the longest state's length.
  private mutating func nestedState(_ welcome: Welcome) {
    let start = bytes.count
    state(welcome.state)
    if case .lock = welcome.room {
      pad(to: start + StateEncoder.longestJSON(nodeCount: welcome.pad.grid.nodeCount))
    }
  }

  private mutating func grantKey(_ key: GrantKey) {
    name(.grantKey)
    openObject()
    field(.id, Int(key.id))
    field(.key, Base64URL.encode(key.publicKey))
    closeObject()
  }

  /// Whole seconds, or with three decimals when they are not whole.
  private mutating func seconds(milliseconds: UInt32) {
    let (whole, part) = milliseconds.quotientAndRemainder(dividingBy: 1000)
    if part == 0 { integer(Int(whole)) } else { decimal(Int(milliseconds) * 10) }
  }

  private mutating func limits(_ limits: Limits) {
    openObject()
    for (name, field) in LimitField.all {
      self.name(name)
      integer(field.number(in: limits))
    }
    closeObject()
  }

  private mutating func pad(_ pad: Pad) {
    openObject()
    field(.preset, pad.preset.rawValue)
    if let width = pad.viewWidth, width != Preset.standardViewWidth { field(.viewWidth, width) }
    field(.columns, pad.grid.columns)
    field(.rows, pad.grid.rows)
    field(.rule, pad.rule.rawValue)
    field(.minimumNodes, pad.finish.minimumNodes)
    field(.cancel, pad.finish.cancel.rawValue)
    field(.clearsOnRelease, pad.finish.clearsOnRelease)
    field(.width, pad.geometry.width)
    field(.height, pad.geometry.height)
    nodes(of: pad)
    name(.hit)
    hit(of: pad)
    name(.theme)
    theme(of: pad)
    closeObject()
  }

  private mutating func nodes(of pad: Pad) {
    name(.nodes)
    openArray()
    for row in 0..<pad.grid.rows {
      for column in 0..<pad.grid.columns {
        openObject()
        name(.x)
        decimal(pad.geometry.xDecimal(column: column))
        name(.y)
        decimal(pad.geometry.yDecimal(row: row))
        closeObject()
      }
    }
    closeArray()
  }

  private mutating func hit(of pad: Pad) {
    openObject()
    switch pad.geometry.hit {
    case .circle(let radius, let sweep):
      field(.shape, "circle")
      field(.radius, radius)
      field(.sweep, sweep)
      field(.pressUsesFullZone, pad.pressUsesFullZone)
      name(.columns)
      numbers(pad.geometry.columnCentres)
      name(.rows)
      numbers(pad.geometry.rowCentres)
    case .box(let columns, let rows):
      field(.shape, "box")
      name(.columns)
      spans(columns)
      name(.rows)
      spans(rows)
    }
    closeObject()
  }

  private mutating func numbers(_ numbers: [Int]) {
    openArray()
    for number in numbers { integer(number) }
    closeArray()
  }

  private mutating func spans(_ spans: [ClosedRange<Int>]) {
    openArray()
    for span in spans { numbers([span.lowerBound, span.upperBound]) }
    closeArray()
  }

  private mutating func theme(of pad: Pad) {
    openObject()
    field(.lineWidth, pad.theme.lineWidth)
    field(.lineColour, pad.theme.lineColour)
    field(.roundCaps, pad.theme.roundCaps)
    field(.tail, pad.theme.tail)
    field(.nodeSize, pad.geometry.nodeSize)
    closeObject()
  }
}
