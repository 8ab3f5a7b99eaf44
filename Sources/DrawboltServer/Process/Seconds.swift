extension Duration {
  /// The duration as the clocks of Foundation and Dispatch take it.
  var inSeconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}
