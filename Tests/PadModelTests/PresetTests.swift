import PadModel
import Testing

/// Where a seed view's nodes stand, in view points.
struct SeedFacts: Sendable {
  let preset: Preset
  let width: Int
  let node: Double, top: Double, inset: Double, side: Double

  init(
    _ preset: Preset, width: Int, node: Double, top: Double, inset: Double = 0, side: Double
  ) {
    self.preset = preset
    self.width = width
    self.node = node
    self.top = top
    self.inset = inset
    self.side = side
  }
}

/// The facts of the presets in view points, as the published views have them.
struct PresetTests {
  private func span(_ zone: HitZone, column: Int, row: Int) -> (ClosedRange<Int>, ClosedRange<Int>)?
  {
    guard case .box(let columns, let rows) = zone else { return nil }
    return (columns[column], rows[row])
  }

  /// Whether exactly the whole units of `[edge, edge + size)` view points are in `span`.
  private func holds(_ span: ClosedRange<Int>, _ edge: Double, _ size: Double, _ side: Double)
    -> Bool
  {
    (span.lowerBound - 2...span.upperBound + 2).allSatisfy { unit in
      let point = Double(unit) * side / 8192
      return span.contains(unit) == (edge <= point && point < edge + size)
    }
  }

  @Test(
    "a seed preset's zones are those of its view, left and top edge in, right and bottom edge out",
    arguments: [
      SeedFacts(.saScreenLock, width: 375, node: 64, top: 0, inset: 16, side: 375),
      SeedFacts(.gestureLock, width: 375, node: 64, top: 115.75, side: 445),
      SeedFacts(.hmView, width: 375, node: 36, top: 66.75, side: 375),
      // At 200 the gap is 2, and the pad is higher than wide; at 2000 it is 452.
      SeedFacts(.saScreenLock, width: 200, node: 64, top: 0, inset: 16, side: 200),
      SeedFacts(.gestureLock, width: 200, node: 64, top: 72, side: 270),
      SeedFacts(.saScreenLock, width: 2000, node: 64, top: 0, inset: 16, side: 2000),
      SeedFacts(.gestureLock, width: 2000, node: 64, top: 522, side: 2070),
      SeedFacts(.hmView, width: 2000, node: 36, top: 473, side: 2000),
    ])
  func seedZones(_ view: SeedFacts) throws {
    let pad = view.preset.pad(viewWidth: view.width)
    let geometry = pad.geometry
    #expect(pad.viewWidth == view.width)
    let gap = (Double(view.width) - 3 * view.node) / 4
    for slot in 0..<3 {
      let (columns, rows) = try #require(span(geometry.hit, column: slot, row: slot))
      let (left, top) = (
        gap + Double(slot) * (view.node + gap), view.top + Double(slot) * (view.node + gap)
      )
      let size = view.node - 2 * view.inset
      #expect(holds(columns, left + view.inset, size, view.side))
      #expect(holds(rows, top + view.inset, size, view.side))
      let (x, y) = ((left + view.node / 2) / view.side, (top + view.node / 2) / view.side)
      #expect(geometry.columnCentres[slot] == Int((x * 8192).rounded()))
      #expect(geometry.rowCentres[slot] == Int((y * 8192).rounded()))
      #expect(geometry.xDecimal(column: slot) == Int((x * 10_000).rounded()))
      #expect(geometry.yDecimal(row: slot) == Int((y * 10_000).rounded()))
    }
  }

  @Test("a seed preset has the size, rules and look of its view")
  func seedRules() {
    let (sa, gesture, hm) = (
      Preset.saScreenLock.pad(), Preset.gestureLock.pad(), Preset.hmView.pad()
    )
    #expect(sa.rule == .free && gesture.rule == .midpoint && hm.rule == .free)
    #expect(sa.finish == FinishRule(minimumNodes: 1, cancel: .submit, clearsOnRelease: true))
    #expect(gesture.finish == FinishRule(minimumNodes: 4))
    #expect(hm.finish == FinishRule(minimumNodes: 1, clearsOnRelease: true))
    #expect(
      sa.theme.lineColour == "rgba(122, 214, 250, 0.7)" && sa.theme.roundCaps && sa.theme.tail)
    #expect(gesture.theme.lineColour == "rgb(227, 54, 58)" && gesture.theme.roundCaps)
    #expect(hm.theme.lineColour == "white" && !hm.theme.roundCaps && !hm.theme.tail)
    // Eight and ten view points wide.
    #expect(sa.theme.lineWidth == 175 && hm.theme.lineWidth == 218)
    #expect(gesture.theme.lineWidth == 184)
    // 375 wide; 3d + 2m = 283.5, 70 + 4m + 3d = 445, 4m + 3d = 375 high.
    #expect((sa.geometry.width, sa.geometry.height) == (8192, 6193))
    #expect((gesture.geometry.width, gesture.geometry.height) == (6903, 8192))
    #expect((hm.geometry.width, hm.geometry.height) == (8192, 8192))
    for pad in [sa, gesture, hm] { #expect(!pad.pressUsesFullZone && pad.grid == .threeByThree) }
  }

  @Test("android on 3×3 is a circle of 0.6 of half a cell, at the press and between samples")
  func androidNine() {
    let pad = Preset.android.pad()
    #expect(pad.geometry.columnCentres == [1365, 4096, 6827])
    #expect(pad.geometry.hit == .circle(radius: 819, sweep: 819))
    #expect(pad.geometry.columnDecimals == [1667, 5000, 8333])
    #expect(pad.rule == .fill && pad.finish.minimumNodes == 4 && pad.finish.cancel == .discard)
    #expect(pad.pressUsesFullZone)
  }

  @Test(
    "android sweeps with what no straight stroke with p² + q² ≤ 25 can be hijacked by",
    arguments: [
      (2, 2, 1229, 1229), (2, 3, 819, 819), (4, 4, 614, 426), (5, 5, 492, 311), (6, 6, 410, 259),
      (10, 10, 246, 155), (3, 4, 614, 426), (4, 3, 614, 426),
    ])
  func androidSweep(_ known: (columns: Int, rows: Int, radius: Int, sweep: Int)) throws {
    let pad = Preset.android.pad(try Grid(columns: known.columns, rows: known.rows))
    #expect(pad.geometry.hit == .circle(radius: known.radius, sweep: known.sweep))
  }

  @Test("on every grid android's zones lie apart, on the pad, on a lattice")
  func androidEverywhere() throws {
    for columns in Grid.allowedSides {
      for rows in Grid.allowedSides {
        let pad = Preset.android.pad(try Grid(columns: columns, rows: rows))
        let geometry = pad.geometry
        #expect(max(geometry.width, geometry.height) == Point.unitsPerSide)
        guard case .circle(let radius, let sweep) = geometry.hit else {
          Issue.record("android has circles")
          return
        }
        #expect(sweep <= radius && sweep > 0)
        for (centres, count, length) in [
          (geometry.columnCentres, columns, geometry.width),
          (geometry.rowCentres, rows, geometry.height),
        ] {
          #expect(centres.count == count)
          let apart = zip(centres, centres.dropFirst()).allSatisfy { $0 + 2 * radius < $1 }
          #expect(apart)
          #expect((centres.first ?? 0) > radius && (centres.last ?? 0) + radius < length)
        }
      }
    }
  }
}
