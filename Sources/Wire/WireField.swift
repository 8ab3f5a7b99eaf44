/// The fields that JSON messages have.
///
/// An error names a field by it, and so can never echo a name that a peer invented.
public enum WireField: String, CodingKey, CaseIterable, Sendable {
  case type
  case token, room, role, name, maxRate, acks, resume, device
  case stroke, action, points, version, member, id, nonce
  case phase, path, x, y, tail, hidden
  case pad, limits, pingSeconds, state, grantKey, retryAfterMs, failures
  case preset, viewWidth, columns, rows, rule, minimumNodes, cancel, clearsOnRelease
  case width, height, nodes
  case hit, shape, radius, sweep, pressUsesFullZone
  case theme, lineWidth, lineColour, roundCaps, nodeSize
  case viewers, controllers, actuators, holder, waiting
  case outcome, opened, step, reason
  case key, lock, audience, demo, keyId, signature
  case code, message, retryable, reconnectAfterMs
}
