import PadModel
import Rooms
import Synchronization
import Transport
import Vault

/// Somebody who said a valid hello and wants to join a room, wherever its home is.
struct Guest: Sendable, Redacted {
  let connection: ConnectionKey
  let room: RoomName
  let role: Role
  let name: MemberName?
  let resume: ResumeKey?
  /// Who draws, as far as its device or token vouches for it.
  let drawer: Drawer
  let format: FrameFormat
  /// Its address as limits count it; nil if none holds for it.
  let opener: UInt64?
}

/// What a loop writes to another that is not about a room's members there.
enum Letter: Sendable, Redacted {
  /// To a room's home: somebody wants to join it.
  indirect case knocked(Guest)
  /// To a room's home: something happened to it here.
  case happened(RoomEvent, RoomAddress)
  /// To a guest's loop: it may not join.
  indirect case turnedAway(ConnectionKey, Failure?, PadModel.CloseReason)
}

/// What one loop has for another and that one has not taken out yet.
///
/// Letters keep their order, and so do parcels; a parcel for a branch that has one here already is added
/// to that. Each turn of the sender adds to it at most once, and only if it was empty the receiver is
/// woken: a receiver that is late takes out what many turns have put in, in the size of one.
final class Mailbag: Sendable {
  struct Contents: Sendable {
    var letters: [Letter] = []
    var parcels: [(address: RoomAddress, parcel: Parcel<Frame>)] = []
    /// Where each room's parcel lies, by the room's number.
    var places: [UInt64: Int] = [:]

    var isEmpty: Bool { letters.isEmpty && parcels.isEmpty }

    /// Adds a parcel, to the room's one if there is one.
    mutating func add(_ parcel: Parcel<Frame>, to address: RoomAddress) {
      if let place = places[address.number] {
        parcels[place].parcel.add(parcel)
      } else {
        places[address.number] = parcels.count
        parcels.append((address, parcel))
      }
    }
  }

  /// The index of the loop that fills it.
  let sender: Int
  private let contents = Mutex(Contents())

  init(from sender: Int) { self.sender = sender }

  /// Puts in what a turn has; whether the bag was empty.
  func put(_ later: Contents) -> Bool {
    contents.withLock { contents in
      guard !contents.isEmpty else {
        contents = later
        return true
      }
      contents.letters += later.letters
      for (address, parcel) in later.parcels { contents.add(parcel, to: address) }
      return false
    }
  }

  /// Takes everything out.
  func empty() -> Contents {
    contents.withLock { contents in
      let all = contents
      contents = Contents()
      return all
    }
  }
}
