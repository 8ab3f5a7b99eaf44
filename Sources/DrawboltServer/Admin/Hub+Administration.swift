import PadModel
import Rooms
import Synchronization
import Transport
import Vault

/// What administrators ask of the loops and their rooms.
extension Hub {
  /// Answers a request at the admin listener's interface.
  func administer(_ request: HTTPRequest) -> HTTPReply {
    guard let api = service.admin else { return .notFound }
    if request.path == AdminAPI.documentPath, [.get, .head].contains(request.method) {
      return .now(AdminDocument.response)
    }
    let reference = HubReference(self)
    let id = request.id
    api.take(request) { answer in reference.submit { $0.take(up: answer, for: id) } }
    return .later
  }

  private func take(up answer: AdminAnswer, for id: ConnectionID) {
    switch answer {
    case .now(let response): loop.respond(to: id, response)
    case .rooms: listRooms(for: id)
    case .change(let change): make(change, for: id)
    }
  }

  /// Has the room's home do something to it, then answers.
  private func make(_ change: RoomChange, for id: ConnectionID) {
    let reference = HubReference(self)
    let isAsked = peers[change.room.home(among: peers.count)].handle.submit { loop in
      let isDone = (loop.handler as? Hub)?.make(change) ?? false
      let response = isDone ? .done : AdminRefusal.notFound("room").response
      reference.submit { $0.loop.respond(to: id, response) }
    }
    if !isAsked { loop.respond(to: id, AdminRefusal.failed("The server is stopping.").response) }
  }

  /// Does something to a room that is at home here; whether there is one.
  private func make(_ change: RoomChange) -> Bool {
    guard let branch = rooms[change.room], branch.home != nil else { return false }
    run(change.event, in: branch)
    service.log(.roomChanged(room: change.room, action: change.action, actor: change.actor))
    service.admin?.note(change)
    return true
  }

  /// Answers by the rooms of all loops.
  private func listRooms(for id: ConnectionID) {
    let reference = HubReference(self)
    let gathered = RoomList(missing: peers.count)
    for peer in peers {
      let isAsked = peer.handle.submit { loop in
        gathered.add((loop.handler as? Hub)?.roomViews ?? []) { rooms in
          reference.submit { $0.loop.respond(to: id, .answer(AdminView.Rooms(rooms: rooms))) }
        }
      }
      if !isAsked { gathered.add([]) { _ in } }
    }
  }

  private var roomViews: [RoomView] {
    rooms.compactMap { name, branch in
      guard let counts = branch.home?.room.counts else { return nil }
      return RoomView(name: "\(name)", members: counts.members, attempts: counts.attempts)
    }
  }
}

/// The rooms that loops have told of so far.
private final class RoomList: Sendable {
  private let state: Mutex<(rooms: [RoomView], missing: Int)>

  init(missing: Int) { state = Mutex(([], missing)) }

  /// Adds a loop's; calls back with those of all when they are complete.
  func add(_ rooms: [RoomView], whenComplete: ([RoomView]) -> Void) {
    let all = state.withLock { state -> [RoomView]? in
      state.rooms += rooms
      state.missing -= 1
      return state.missing == 0 ? state.rooms : nil
    }
    if let all { whenComplete(all.sorted { $0.name < $1.name }) }
  }
}
