import Millrace
import Testing

@Suite("ValueDifference")
struct ValueDifferenceTests {
  struct State: Equatable {
    var user = User()
    var items: [String] = ["a", "b", "c", "d"]
    var tags: Set<String> = ["old", "kept"]
    var counts: [String: Int] = ["a": 1, "b": 1]
    var status = Status.idle
    var limit: Int?
    var time = Duration.seconds(1)
    var pair = Pair()
  }

  struct User: Equatable {
    var name = "Ada"
    var age = 36
    var address: Address? = Address()
  }

  struct Address: Equatable {
    var city = "London"
  }

  enum Status: Equatable {
    case idle, stopped
    case loaded([String], page: Int)
    case failed(reason: String)
  }

  /// A type with an equality of its own.
  struct Pair: Equatable {
    var both = (left: 1, 2)

    static func == (left: Pair, right: Pair) -> Bool { left.both == right.both }
  }

  final class Session {
    var next: Session?
  }

  final class Account: Equatable {
    let number: Int

    init(_ number: Int) { self.number = number }

    static func == (left: Account, right: Account) -> Bool { left.number == right.number }
  }

  private func lines(_ change: (inout State) -> Void, from before: (inout State) -> Void = { _ in }) -> [String] {
    var old = State()
    before(&old)
    var new = old
    change(&new)
    return ValueDifference(from: old, to: new).lines
  }

  // MARK: Tables

  /// A change of the state, and the lines that tell of it.
  struct Row: CustomTestStringConvertible, Sendable {
    var lines: [String]
    var before: @Sendable (inout State) -> Void = { _ in }
    var change: @Sendable (inout State) -> Void

    var testDescription: String { lines.joined(separator: "; ") }
  }

  static let parts = [
    Row(lines: []) { _ in },
    Row(lines: [#"user.name: "Ada" → "Grace""#]) { $0.user.name = "Grace" },
    Row(lines: [#"user.name: "Ada" → "\n""#, "user.age: 36 → 37"]) { $0.user = User(name: "\n", age: 37) },
    Row(lines: [#"user.address.city: "London" → "Bath""#]) { $0.user.address?.city = "Bath" },
    Row(lines: [#"user.address: Address(city: "London") → nil"#]) { $0.user.address = nil },
    Row(lines: ["limit: nil → 3"]) { $0.limit = 3 },
    Row(lines: ["limit: 1 → 3"], before: { $0.limit = 1 }, change: { $0.limit = 3 }),
    Row(lines: ["time: 1.0 seconds → 2.0 seconds"]) { $0.time = .seconds(2) },
    Row(lines: ["pair.both.left: 1 → 5", "pair.both.1: 2 → 6"]) { $0.pair.both = (5, 6) },
  ]

  static let cases = [
    Row(lines: ["status: idle → stopped"]) { $0.status = .stopped },
    Row(lines: [#"status: idle → loaded(["a"], page: 1)"#]) { $0.status = .loaded(["a"], page: 1) },
    Row(
      lines: [#"status.loaded.0[1]: added "b""#, "status.loaded.page: 1 → 2"],
      before: { $0.status = .loaded(["a"], page: 1) }, change: { $0.status = .loaded(["a", "b"], page: 2) }),
    Row(
      lines: [#"status.failed.reason: "a" → "b""#],
      before: { $0.status = .failed(reason: "a") }, change: { $0.status = .failed(reason: "b") }),
    Row(
      lines: [#"status: failed(reason: "a") → idle"#],
      before: { $0.status = .failed(reason: "a") }, change: { $0.status = .idle }),
  ]

  static let collections = [
    Row(lines: [#"items[2]: removed "c""#]) { $0.items.remove(at: 2) },
    Row(lines: [#"items[1]: added "x""#]) { $0.items.insert("x", at: 1) },
    Row(lines: [#"items[4]: added "e""#, #"items[5]: added "f""#]) { $0.items += ["e", "f"] },
    Row(lines: [#"items[1]: "b" → "x""#]) { $0.items[1] = "x" },
    Row(lines: [#"items[1]: "b" → "x""#, #"items[2]: removed "c""#]) { $0.items = ["a", "x", "d"] },
    Row(lines: [#"items[0]: "a" → "x""#, #"items[3]: "d" → "y""#]) { $0.items = ["x", "b", "c", "y"] },
    Row(lines: [#"items[1]: removed "a""#], before: { $0.items = ["a", "a"] }, change: { $0.items = ["a"] }),
    Row(lines: [#"tags: removed "old""#, #"tags: added "new""#, #"tags: added "newer""#]) {
      $0.tags = ["kept", "newer", "new"]
    },
    Row(lines: [#"counts["a"]: 1 → 2"#, #"counts["b"]: removed 1"#, #"counts["c"]: added 3"#]) {
      $0.counts = ["c": 3, "a": 2]
    },
  ]

  @Test("Parts are told by their path, and equal ones left out", arguments: parts)
  func partsOfStructs(_ row: Row) {
    #expect(lines(row.change, from: row.before) == row.lines)
  }

  @Test("Another case is told as a whole, the same case by its payload", arguments: cases)
  func casesOfEnums(_ row: Row) {
    #expect(lines(row.change, from: row.before) == row.lines)
  }

  @Test("Elements are told by index or key, without common beginnings and ends", arguments: collections)
  func elementsOfCollections(_ row: Row) {
    #expect(lines(row.change, from: row.before) == row.lines)
  }

  // MARK: The whole

  @Test("The whole may be any value, and has no path")
  func theWhole() {
    #expect(ValueDifference(from: 1, to: 2).lines == ["1 → 2"])
    #expect(ValueDifference(from: 1, to: 1).isEmpty)
    #expect(ValueDifference(from: [1], to: [1, 2]).lines == ["[1]: added 2"])
    #expect(ValueDifference(from: Status.idle, to: .stopped).lines == ["idle → stopped"])
    #expect(ValueDifference(from: Int?.none, to: 3).lines == ["nil → 3"])
    #expect(
      ValueDifference(from: ["b": 1, "a": 1], to: [:]).description == "  [\"a\"]: removed 1\n  [\"b\"]: removed 1")
  }

  @Test("Values that are not Equatable are compared part by part, and closures count as equal")
  func notEquatable() {
    struct Loose {
      var items: [Any] = [1, "a"]
      var call: () -> Void = {}
    }
    var new = Loose()
    #expect(ValueDifference(from: new, to: Loose()).isEmpty)
    new.items = [1, "b", 2.5]
    new.call = { _ = 1 }
    #expect(ValueDifference(from: Loose(), to: new).lines == [#"items[1]: "a" → "b""#, "items[2]: added 2.5"])
    new.items = [1, 2]
    #expect(ValueDifference(from: Loose(), to: new).lines == [#"items[1]: "a" → 2"#])
  }

  @Test("A described value is shown by its description, unless it is the whole or reads the same")
  func described() {
    struct Money: CustomStringConvertible {
      var cents: Int
      var note = ""
      var description: String { "\(cents)¢" }
    }
    struct Purse {
      var money: Money
    }
    let purse = Purse(money: Money(cents: 1))
    #expect(ValueDifference(from: purse, to: Purse(money: Money(cents: 2))).lines == ["money: 1¢ → 2¢"])
    #expect(
      ValueDifference(from: purse, to: Purse(money: Money(cents: 1, note: "x"))).lines == [#"money.note: "" → "x""#])
    #expect(ValueDifference(from: Money(cents: 1), to: Money(cents: 2)).lines == ["cents: 1 → 2"])
  }

  @Test("Values that == tells apart are delivered, though their parts read the same")
  func readsTheSame() {
    struct Reading: Equatable { var value: Double }
    let reading = Reading(value: .nan)
    #expect(ValueDifference(from: reading, to: reading).lines == ["value: differs, though it reads the same"])
  }

  // MARK: Objects

  @Test("An object is the same as itself, another one is another one, and no cycle is followed")
  func objects() {
    struct Holder {
      var session: Session
    }
    let (session, other) = (Session(), Session())
    session.next = session
    other.next = session
    #expect(ValueDifference(from: Holder(session: session), to: Holder(session: session)).isEmpty)
    #expect(
      ValueDifference(from: Holder(session: session), to: Holder(session: other)).lines == ["session: another Session"])
    #expect(ValueDifference(from: Account(1), to: Account(1)).isEmpty)
    #expect(ValueDifference(from: Account(1), to: Account(2)).lines == ["another Account"])
    session.next = nil
  }

  // MARK: Limits

  @Test("Lines beyond the limit are counted")
  func linesAreLimited() {
    let difference = ValueDifference(
      from: [Int](), to: Array(0..<15), limits: ValueDifference.Limits(lines: 3))
    #expect(difference.description == "  [0]: added 0\n  [1]: added 1\n  [2]: added 2\n  … and 12 more")
  }

  @Test("Long values are shortened, long strings to where they differ")
  func valuesAreShortened() {
    let limits = ValueDifference.Limits(characters: 16)
    let long = String(repeating: "a", count: 100)
    #expect(
      ValueDifference(from: long + "x", to: long + "y", limits: limits).lines == [#"…"aax" → …"aay""#])
    #expect(
      ValueDifference(from: "", to: long, limits: limits).lines == [#""" → "aaaaaaaaaaaaaaa…"#])
    #expect(
      ValueDifference(from: [[Int]](), to: [Array(0..<1_000)], limits: limits).lines
        == ["[0]: added [0, 1, 2, 3, 4, …"])
  }

  @Test("Deep values are shown as a whole, however deep they are")
  func depthIsLimited() {
    indirect enum Chain: Sendable {
      case end(Int)
      case link(Chain)

      static func of(_ length: Int, end: Int) -> Chain {
        (0..<length).reduce(.end(end)) { chain, _ in .link(chain) }
      }
    }
    let limits = ValueDifference.Limits(depth: 2)
    #expect(
      ValueDifference(from: Chain.of(3, end: 1), to: .of(3, end: 2), limits: limits).lines
        == ["link.link: link(end(1)) → link(end(2))"])
    #expect(ValueDifference(from: Chain.of(1_000, end: 1), to: .of(1_000, end: 2)).isEmpty)
    #expect(
      ValueDifference(from: Chain.end(1), to: .of(100, end: 2)).lines
        == ["end(1) → link(link(link(link(link(link(link(link(…))))))))"])
  }
}
