import TestSupport
import Testing

@Suite("Metrics", .waiting)
struct MetricsTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Where every offered frame went, at one moment.
  private struct Frames {
    let offered: Int, sent: Int, coalesced: Int, withheld: Int, pending: Int, departed: Int

    init(_ metrics: Exposition) throws {
      func value(_ name: String) throws -> Int {
        Int(try #require(metrics["drawbolt_frames_" + name], "frames_\(name)"))
      }
      offered = try value("offered_total")
      sent = try value("sent_total")
      coalesced = try value("coalesced_total")
      withheld = try value("withheld_total")
      pending = try value("pending")
      departed = try value("departed_total")
    }

    var isWhole: Bool { offered == sent + coalesced + withheld + pending + departed }
  }

  @Test(
    "count at every moment each offered frame once: sent, replaced, withheld, pending or departed")
  func frames() throws {
    let server = try TestServer(scratch)
    let (drawer, _) = try Client.join(server, "board:count", "controller")
    let (viewer, _) = try Client.join(server, "board:count", "viewer")
    let (slow, _) = try Client.join(server, "board:count", "viewer", #","maxRate":1"#)
    // It never acknowledges, so its window of 32 frames fills.
    let (mute, _) = try Client.join(server, "board:count", "viewer", #","acks":true"#)
    drawer.samples(1, "press", [0])
    try drawer.state("drawing")
    for step in 1...50 {
      drawer.move(1, Double(step) / 16)
      // Each shown before the next, so that no two become one.
      for client in [drawer, viewer] {
        try client.state("drawing") { $0["x"] == Double(step) / 16 }
      }
      let frames = try Frames(server.metrics())
      #expect(frames.isWhole && (0...4).contains(frames.pending), "\(frames)")
    }
    let before = try Frames(server.metrics())
    #expect(before.coalesced > 0 && before.withheld > 0 && before.pending > 0)
    #expect(before.departed == 0 && before.sent > 100)
    mute.say(#"{"type":"hello","room":"board:count","role":"viewer"}"#)
    #expect(try mute.closeCode() == 4400)
    #expect(try server.settles(["members": 3]))
    let after = try Frames(server.metrics())
    #expect(after.isWhole && after.departed == 1, "\(after)")
    #expect(after.offered == before.offered)
    withExtendedLifetime(slow) {}
  }

  @Test("are valid for Prometheus, with a histogram of turns, and name nobody")
  func exposition() throws {
    let server = try TestServer(scratch)
    let (member, _) = try Client.join(server, "demo", "viewer", #","name":"Anastasia""#)
    let (other, _) = try Client.join(server, "board:lesson", "viewer")
    let answer = try HTTPAnswer.get(server.adminPort, "/metrics")
    #expect(answer.head.contains("text/plain; version=0.0.4"))
    let metrics = try Exposition(answer.body)
    for (name, value) in [
      ("members", 2), ("rooms", 2), ("connections", 2), ("verify_queue", 0),
      ("frames_repeated_total", 0), ("acknowledgements_stray_total", 0),
      ("accept_pauses_total", 0), ("log_lines_suppressed_total", 0),
      ("handshakes_dropped_total", 0),
    ] as [(String, Double)] { #expect(metrics["drawbolt_" + name] == value, "\(name)") }
    // Whoever asks has its answer only after this was counted.
    #expect(metrics["drawbolt_handshakes"] == 1)
    #expect(metrics.types["drawbolt_turn_seconds"] == "histogram")
    #expect(metrics["drawbolt_turn_seconds_count"] ?? 0 > 0)
    #expect(metrics["drawbolt_sent_bytes_total"] ?? 0 > 0)
    for word in ["demo", "lesson", "Anastasia", "127.0.0.1"] {
      #expect(!answer.body.contains(word))
    }
    let later = try server.metrics()
    for sample in metrics.samples where metrics.types[sample.name] == "counter" {
      let now = later.samples.first {
        $0.name == sample.name && $0.labelValue == sample.labelValue
      }
      #expect(now?.value ?? -1 >= sample.value, "\(sample.name) went back")
    }
    withExtendedLifetime((member, other)) {}
  }
}

extension Client {
  /// Moves to a place on the pad's diagonal.
  fileprivate func move(_ stroke: Int, _ place: Double) {
    say(
      #"{"type":"samples","stroke":\#(stroke),"action":"move","points":[[8,\#(place),\#(place)]]}"#)
  }
}
