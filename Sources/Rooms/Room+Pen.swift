import PadModel

extension Room {
  mutating func takePenCommand(_ connection: ConnectionKey, _ command: PenCommand) {
    guard let member = roster[connection] else { return }
    guard member.role.maySend(command.kind) else {
      return tell(connection, Refusal.mayNotHoldPen)
    }
    if isBoard {
      commandBoardPen(member, connection, command)
    } else {
      commandLockPen(connection, command)
    }
  }

  private mutating func commandBoardPen(
    _ member: Member, _ connection: ConnectionKey, _ command: PenCommand
  ) {
    switch command {
    case .request: pen.request(by: member.id)
    case .release: putPenDown(member.id)
    case .give(let receiver): givePen(member.id, connection, to: receiver)
    case .take:
      if !pen.isHeld(by: member.id) { cancelStroke() }
      pen.hand(to: member.id, .asked)
    }
  }

  private mutating func givePen(
    _ giver: MemberID, _ connection: ConnectionKey, to receiver: MemberID
  ) {
    guard pen.isHeld(by: giver) else { return tell(connection, Refusal.penNotHeld) }
    guard roster.member(receiver)?.role.mayDraw == true else {
      return tell(connection, Refusal.unknownMember)
    }
    if receiver != giver { cancelStroke() }
    pen.hand(to: receiver, .asked)
  }

  /// A lock room's pen has no queue and is nobody's between strokes.
  private mutating func commandLockPen(_ connection: ConnectionKey, _ command: PenCommand) {
    switch command {
    case .request, .give: tell(connection, Refusal.penTakenByPress)
    case .release: cancelStroke(of: connection)
    case .take:
      if case .drawing(let stroke) = stage, stroke.connection != connection { cancelStroke() }
    }
  }

  /// The member neither holds the pen nor waits for it from now on.
  mutating func putPenDown(_ id: MemberID) {
    pen.dequeue(id)
    if pen.isHeld(by: id) { passPenOn() }
  }

  /// Nobody keeps what he draws with; on a board whoever waits first has the pen then.
  mutating func withdrawPen() {
    if pen.holder != nil { passPenOn() } else { cancelStroke() }
  }

  /// Takes the pen and the stroke from the holder; whoever waits first has it then.
  mutating func passPenOn() {
    cancelStroke()
    pen.free()
  }
}
