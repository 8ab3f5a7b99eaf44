import PadModel
import Rooms
import Transport

/// What goes to other loops and comes from them.
extension Hub {
  /// Another loop of the process, and what this turn has for it.
  struct Peer {
    let handle: LoopHandle
    let bag: Mailbag
    var mail = Mailbag.Contents()
  }

  /// Makes the loops of the process known to each other, before any of them accepts.
  func meet(_ handles: [LoopHandle]) {
    peers = handles.map { Peer(handle: $0, bag: Mailbag(from: loop.index)) }
  }

  /// Whether a connection is one of this loop.
  func isHere(_ key: ConnectionKey) -> Bool {
    ConnectionID(rawValue: key).loop == loop.index
  }

  /// Has a letter sent at the end of the turn.
  func write(_ letter: Letter, to peer: Int) {
    peers[peer].mail.letters.append(letter)
    hasMail = true
  }

  /// Changes what a room's home knows of another loop and has for it.
  func change(
    _ branch: RoomBranch, at peer: Int, _ change: (inout Outpost<Frame>) -> Void
  ) {
    guard let home = branch.home else { return }
    if home.outposts.isEmpty {
      home.outposts = [Outpost<Frame>](repeating: Outpost(), count: peers.count)
    }
    let before = home.outposts[peer].memberCount
    change(&home.outposts[peer])
    membersAway += home.outposts[peer].memberCount - before
    touch(branch)
  }

  /// The same for the loop of a connection.
  func change(
    _ branch: RoomBranch, for key: ConnectionKey, _ change: (inout Outpost<Frame>) -> Void
  ) {
    self.change(branch, at: ConnectionID(rawValue: key).loop, change)
  }

  /// The same for each of them.
  func changeAll(_ branch: RoomBranch, _ change: (inout Outpost<Frame>) -> Void) {
    guard let home = branch.home else { return }
    for peer in home.outposts.indices { self.change(branch, at: peer, change) }
  }

  /// Makes the parcels of a room that was touched.
  func pack(_ branch: RoomBranch) {
    guard let home = branch.home else { return }
    for peer in home.outposts.indices {
      guard let parcel = home.outposts[peer].takeParcel(branch) else { continue }
      peers[peer].mail.add(parcel, to: branch.address)
      hasMail = true
    }
  }

  /// Puts what the turn has into the bags and wakes who has something to take out.
  func postMail() {
    guard hasMail else { return }
    hasMail = false
    for index in peers.indices where !peers[index].mail.isEmpty {
      let bag = peers[index].bag
      let wasEmpty = bag.put(peers[index].mail)
      peers[index].mail = Mailbag.Contents()
      if wasEmpty { peers[index].handle.submit { ($0.handler as? Hub)?.open(bag) } }
    }
  }

  /// Takes up what another loop has for this one.
  private func open(_ bag: Mailbag) {
    let mail = bag.empty()
    for letter in mail.letters { read(letter) }
    for (address, parcel) in mail.parcels { takeUp(parcel, for: address, from: bag.sender) }
  }

  private func read(_ letter: Letter) {
    switch letter {
    case .knocked(let guest): knocked(guest)
    case .happened(let event, let address):
      guard let branch = branch(at: address) else { return }
      if case .left(let key) = event { change(branch, for: key) { $0.left(key) } }
      run(event, in: branch)
      goOnDraining()
    case .turnedAway(let key, let failure, let reason): turnedAway(key, failure, reason)
    }
  }

  /// Does what a room's home has for the members here.
  private func takeUp(_ parcel: Parcel<Frame>, for address: RoomAddress, from home: Int) {
    let now = self.now
    parcel.takeUp { item in
      switch item {
      case .admit(let admittance): takeIn(admittance, to: address, from: home)
      case .tell(let key, let message): tell(key, message)
      case .close(let key, let reason): close(key, reason)
      case .show(let projection, let picture):
        branch(at: address)?.show(projection, picture, at: now)
      case .setProjection(let key, let projection):
        if let branch = branch(at: address) { setProjection(key, projection, in: branch, at: now) }
      case .showPen(let key): branch(at: address)?.owePen(to: key)
      }
    }
    guard let branch = branch(at: address) else { return }
    branch.note(parcel)
    // Who was to see a state may have left before it came.
    branch.forgetUnseen()
    touch(branch)
  }

  /// The room's branch here, unless it was dropped while something came.
  func branch(at address: RoomAddress) -> RoomBranch? {
    guard let branch = rooms[address.name], branch.address == address else { return nil }
    return branch
  }

  /// Takes in a member; one that is gone meanwhile has to leave a room that does not know it.
  private func takeIn(_ admittance: Admittance, to address: RoomAddress, from home: Int) {
    let key = admittance.connection
    guard let session = sessions[ConnectionID(rawValue: key)],
      case .joining(let hello) = session.stage
    else { return write(.happened(.left(key), address), to: home) }
    let branch = branch(at: address) ?? grow(address, admittance.pad, from: home)
    admit(admittance, hello, session, to: branch)
  }

  private func grow(_ address: RoomAddress, _ pad: Pad, from home: Int) -> RoomBranch {
    let branch = RoomBranch(address, homeLoop: home, pad: pad, limits: limits)
    rooms[address.name] = branch
    return branch
  }

  /// Forgets a branch away from home whose last member has left.
  func fell(_ branch: RoomBranch) {
    guard branch.home == nil, branch.sessions.isEmpty else { return }
    if rooms[branch.name] === branch { rooms[branch.name] = nil }
    branch.queued = []
    statistics.departed += branch.audience.counters
  }
}
