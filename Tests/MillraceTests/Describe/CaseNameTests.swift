import Millrace
import Testing

@Suite("CaseName")
struct CaseNameTests {
  private enum Action {
    case reload
    case search(String)
    case move(from: Int, to: Int)
    case child(Child)
  }

  private enum Child: String {
    case tick = "raw"
  }

  private indirect enum Tree: Sendable {
    case leaf
    case node(Tree, Tree)
  }

  /// Would show its payload if it was asked.
  private enum Talkative: CustomStringConvertible, CustomDebugStringConvertible {
    case quiet
    case password(String)

    var description: String { "secret" }
    var debugDescription: String { "secret" }
  }

  /// Would show something else if it was looked at.
  private enum Mirrored: CustomReflectable {
    case password(String)

    var customMirror: Mirror { Mirror(self, children: ["secret": 1], displayStyle: .enum) }
  }

  private struct Command {
    var text = "secret"
  }

  @Test(
    "An enum's case is called by its name, anything else by its type",
    arguments: [
      (Action.reload, "reload"),
      (Action.search("secret"), "search"),
      (Action.move(from: 1, to: 2), "move"),
      (Action.child(.tick), "child"),
      (Child.tick, "tick"),
      (Tree.leaf, "leaf"),
      (Tree.node(.leaf, .leaf), "node"),
      (Optional(Action.search("secret")), "search"),
      (Optional<Action>.none, "nil"),
      (Result<Int, Never>.success(1), "success"),
      (Command(), "Command"),
      ("secret", "String"),
      ([1], "Array<Int>"),
      (3, "Int"),
    ] as [(any Sendable, String)])
  func names(_ value: any Sendable, _ name: String) {
    #expect(CaseName.of(value) == name)
  }

  @Test("No description of the value's own is asked: the case is found without it, or the type's name stands for it")
  func ownDescriptions() {
    #expect(CaseName.of(Talkative.password("secret")) == "password")
    #expect(CaseName.of(Talkative.quiet) == "Talkative")
    #expect(CaseName.of(Mirrored.password("secret")) == "Mirrored")
  }
}
