import Gestures
import PadModel
import Vault

/// What is to be said against a code that somebody wants to enrol.
enum CodeStrength {
  /// Why it should not be taken, or nil; a toy takes what it gets.
  static func objection(to code: Path, at lock: LockSummary) -> String? {
    if lock.isToy { return nil }
    if PopularShapes.contains(code, on: lock.pad.grid) {
      return "the code is one of the shapes that are guessed first"
    }
    let isWeak = PathStrength(of: code, on: lock.pad.grid).advice == .refuse
    return isWeak ? "the code is very simple" : nil
  }

  /// What to tell whoever enrolled it, or nil.
  static func advice(on code: Path, at lock: LockSummary) -> String? {
    let isSimple = !lock.isToy && PathStrength(of: code, on: lock.pad.grid).advice == .warn
    return isSimple ? "The code is simple; a longer one with turns is better." : nil
  }
}
