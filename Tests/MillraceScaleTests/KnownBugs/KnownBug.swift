import MillraceTesting

/// A program with one bug, and the same program without that bug.
struct KnownBug: Sendable {
  /// The choices of a world without which the bug does not show.
  enum Need: String {
    case order
    case time
    case idleActor = "idle actor"
    case threeChanges = "three changes"
    case fault
    case faultAndTiming = "fault and timing"
  }

  let name: String
  let need: Need
  /// The harm that the bug does, as a sentence without its end.
  let harm: String
  /// Runs the program in a world, with the bug if `isBroken` is true.
  let program: @Sendable (_ world: World, _ isBroken: Bool) async throws -> Void

  /// The program with the bug.
  var broken: Simulation.Body {
    { try await program($0, true) }
  }

  /// The program without the bug.
  var corrected: Simulation.Body {
    { try await program($0, false) }
  }

  /// All known bugs, in the order of the table in docs/known-bugs.md.
  static let all = caches + accounts + coordination + sequences + timedWork + repeatedWork
}
