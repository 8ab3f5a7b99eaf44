import PadModel
import Rooms
import Synchronization
import Transport
import Vault

/// The few paths that are neither files nor `/ws`.
extension Hub {
  func httpRequested(_ request: HTTPRequest) -> HTTPReply {
    switch (request.listener, request.path) {
    case (_, "/healthz"): .now(.text("ok\n"))
    case (_, "/readyz"):
      .now(
        service.isReady.load(ordering: .relaxed)
          ? .text("ready\n")
          : .error(503, code: "draining", message: "the server is stopping"))
    case (.admin, "/metrics"): survey(for: request.id)
    case (.admin, let path) where path.hasPrefix(AdminRoute.root + "/"): administer(request)
    default: .notFound
    }
  }

  /// What the loops report, as text.
  func metrics(of report: LoopReport) -> HTTPResponse {
    var text = MetricsText()
    roomMetrics(&text, report)
    verdictMetrics(&text, report.hub)
    socketMetrics(&text, report)
    trafficMetrics(&text, report.transport)
    return HTTPResponse(
      status: 200, contentType: "text/plain; version=0.0.4; charset=utf-8",
      body: Array(text.text.utf8), headers: [(name: "Cache-Control", value: "no-store")])
  }

  private func roomMetrics(_ text: inout MetricsText, _ report: LoopReport) {
    text.gauge("rooms", "Rooms that exist.", report.rooms)
    text.counter("rooms_opened_total", "Rooms opened.", report.hub.roomsOpened)
    text.counter("rooms_dropped_total", "Rooms dropped.", report.hub.roomsDropped)
    text.gauge("members", "Members of all rooms.", report.members)
    let all = report.frames
    text.counter(
      "frames_offered_total", "Changes times members that may hear of them.", all.offered)
    text.counter("frames_sent_total", "State frames sent.", all.sent)
    text.counter("frames_coalesced_total", "States replaced by a newer one unsent.", all.coalesced)
    text.counter(
      "frames_withheld_total", "States replaced while a member did not acknowledge.", all.withheld)
    text.gauge("frames_pending", "States not sent yet, at most one a member.", all.pending)
    text.counter("frames_repeated_total", "States repeated after silence.", all.repeated)
    text.counter(
      "acknowledgements_stray_total", "Acknowledgements of a version that does not wait for one.",
      all.strayAcknowledgements)
    text.counter("frames_departed_total", "States unsent when their member left.", all.departed)
  }

  private func verdictMetrics(_ text: inout MetricsText, _ statistics: HubStatistics) {
    text.counter(
      "verdicts_total", "Verdicts told, by outcome.", label: "outcome",
      Outcome.allCases.map { ($0.rawValue, statistics.verdicts[$0] ?? 0) })
    text.counter(
      "alarms_total",
      "Times that wrong codes locked somebody out for a quarter of an hour or more.",
      statistics.alarms)
    text.counter("grants_total", "Grants taken by actuators.", statistics.grants)
    text.counter("store_failures_total", "Failures of the storage.", service.vault.failures)
    text.gauge("verify_queue", "Attempts that wait for a hash.", service.vault.queueLength)
    text.counter(
      "closes_total", "Connections closed by the server, by code.", label: "code",
      CloseReason.allCases.map { ("\($0.code)", statistics.closes[$0] ?? 0) })
  }

  private func socketMetrics(_ text: inout MetricsText, _ report: LoopReport) {
    let counts = report.transport
    text.gauge("loops", "Loops that serve.", report.connections.count)
    text.gauge("sockets", "Sockets that are open.", counts.openSockets)
    text.gauge("handshakes", "Sockets whose request has not come yet.", counts.openHandshakes)
    text.gauge("connections", "WebSocket connections that are open.", counts.openConnections)
    text.gauge(
      "loop_connections", "The same of each loop.", label: "loop",
      report.connections.sorted { $0.key < $1.key }.map { ("\($0.key)", $0.value) })
    text.counter("accepted_total", "Sockets accepted.", counts.accepted)
    text.counter("upgraded_total", "Connections that became WebSockets.", counts.upgraded)
    text.counter(
      "http_responses_total", "HTTP answers by status.", label: "status",
      counts.responses.sorted { $0.key < $1.key }.map { ("\($0.key)", $0.value) })
    text.counter("refused_full_total", "Sockets refused by a full server.", counts.refusedAtLimit)
    text.counter(
      "refused_address_total", "Sockets refused by the limits of an address.",
      counts.refusedByAddress)
    text.counter("requests_abandoned_total", "Requests never made.", counts.abandonedRequests)
    text.counter(
      "handshakes_dropped_total", "Requests given up for newer ones.", counts.handshakesDropped)
    text.counter(
      "accept_pauses_total", "Pauses of accepting for want of descriptors.", counts.acceptPauses)
    text.counter("tls_handshakes_total", "Handshakes of TLS that ended well.", counts.tlsHandshakes)
    text.counter(
      "tls_handshakes_failed_total", "Handshakes of TLS that failed, or gave way to newer ones.",
      counts.tlsHandshakesFailed)
  }

  private func trafficMetrics(_ text: inout MetricsText, _ counts: TransportStatistics) {
    text.counter("messages_received_total", "Messages received.", counts.messagesReceived)
    text.counter("received_bytes_total", "Bytes of messages received.", counts.bytesReceived)
    text.counter("sends_total", "Calls of send.", counts.sends)
    text.counter("sent_bytes_total", "Bytes of frames sent.", counts.bytesSent)
    text.counter("partial_sends_total", "Sends that the kernel took in part.", counts.partialWrites)
    text.counter("pings_total", "Pings sent.", counts.pings)
    text.counter("dead_total", "Connections dropped for silence.", counts.dead)
    text.counter(
      "log_lines_suppressed_total", "Lines of the library's log that were too many.",
      counts.suppressedLogLines)
    text.histogram(
      "turn_seconds", "How long turns of the loop took.",
      bounds: TurnTimes.bounds.map { Double($0) / 1e9 },
      counts: counts.turnTimes.counts.indices.map { counts.turnTimes.counts[$0] },
      sum: Double(counts.turnTimes.sum) / 1e9)
  }
}
