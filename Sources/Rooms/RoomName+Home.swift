public import PadModel

extension RoomName {
  /// Which of so many loops owns the room: the same one for everybody who asks.
  ///
  /// FNV-1a over the name as it stands on the wire, which unlike the standard library's hashing is the
  /// same in every process.
  public func home(among loops: Int) -> Int {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in description.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return Int(hash % UInt64(max(1, loops)))
  }
}
