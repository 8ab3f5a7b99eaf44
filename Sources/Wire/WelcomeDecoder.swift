import PadModel

extension Fields {
  func welcome() throws(WireError) -> Welcome {
    let pad = try object(.pad).pad()
    let state = try object(.state).state()
    try checkPath(state.path, nodeCount: pad.grid.nodeCount)
    return Welcome(
      member: try made(.member, MemberID.init), resume: try random(.resume),
      room: try made(.room, RoomName.init), role: try named(.role), pad: pad,
      limits: try toldLimits(), state: state, lockout: has(.retryAfterMs) ? try lockout() : nil,
      grantKey: try grantKey())
  }

  func lockout() throws(WireError) -> Lockout {
    Lockout(
      retryAfterMilliseconds: try value(.retryAfterMs), failures: try count(.failures))
  }

  private func grantKey() throws(WireError) -> GrantKey? {
    guard has(.grantKey) else { return nil }
    let fields = try object(.grantKey)
    return GrantKey(
      id: try fields.value(.id), publicKey: try fields.made(.key, Base64URL.decode))
  }

  private func toldLimits() throws(WireError) -> Limits {
    let numbers: [String: Int] = try value(.limits)
    var limits = Limits()
    for (name, field) in LimitField.all {
      guard let number = numbers[name], number >= 0 else { throw .invalid(.limits) }
      field.set(number, in: &limits)
    }
    return limits
  }

  /// A preset's pad whose rules and theme are as told.
  ///
  /// A pad is only ever made by a preset, so a geometry that differs from it is refused.
  private func pad() throws(WireError) -> Pad {
    let preset: Preset = try named(.preset)
    guard let grid = try? Grid(columns: try value(.columns), rows: try value(.rows)) else {
      throw .invalid(.columns)
    }
    var pad = preset.pad(grid, viewWidth: try viewWidth(of: preset))
    guard pad.grid == grid else { throw .invalid(.columns) }
    pad.rule = try named(.rule)
    pad.finish = FinishRule(
      minimumNodes: try count(.minimumNodes), cancel: try named(.cancel),
      clearsOnRelease: try value(.clearsOnRelease))
    pad.theme = try object(.theme).theme(of: pad.geometry)
    pad.pressUsesFullZone = try object(.hit).optional(.pressUsesFullZone) ?? false
    try check(pad.geometry)
    return pad
  }

  private func viewWidth(of preset: Preset) throws(WireError) -> Int {
    guard let width: Int = try optional(.viewWidth) else { return Preset.standardViewWidth }
    guard preset.hasViewWidth, Preset.allowedViewWidths.contains(width) else {
      throw .invalid(.viewWidth)
    }
    return width
  }

  private func theme(of geometry: Geometry) throws(WireError) -> Theme {
    guard try value(.nodeSize) == geometry.nodeSize else { throw .invalid(.nodeSize) }
    return Theme(
      lineWidth: try count(.lineWidth), lineColour: try value(.lineColour),
      roundCaps: try value(.roundCaps), tail: try value(.tail))
  }

  private func check(_ geometry: Geometry) throws(WireError) {
    guard try value(.width) == geometry.width else { throw .invalid(.width) }
    guard try value(.height) == geometry.height else { throw .invalid(.height) }
    let hit = try object(.hit)
    let shape: String = try hit.value(.shape)
    switch geometry.hit {
    case .circle(let radius, let sweep):
      let told: (Int, Int) = (try hit.value(.radius), try hit.value(.sweep))
      guard shape == "circle", told == (radius, sweep),
        try hit.value(.columns) == geometry.columnCentres,
        try hit.value(.rows) == geometry.rowCentres
      else { throw .invalid(.hit) }
    case .box(let columns, let rows):
      guard shape == "box", try hit.value(.columns) == columns.map(bounds),
        try hit.value(.rows) == rows.map(bounds)
      else { throw .invalid(.hit) }
    }
  }

  private func bounds(_ span: ClosedRange<Int>) -> [Int] { [span.lowerBound, span.upperBound] }
}
