import Testing

@testable import Millrace

@Suite("KeyPathScoped")
struct KeyPathScopedTests {
  final class Box: Sendable {
    let value = 7
  }

  struct Inner: Sendable {
    var byte: UInt8 = 1
    var text = "a text that is too long for the words of a string"
  }

  struct Parts: Sendable {
    var flag = true
    var stored = 3
    var observed = 4 { didSet { stored = observed } }
    var computed: Int { stored * 2 }
    var inner = Inner()
    let box = Box()
    weak var link: Box?
    var optional: Int? = 5
    var function: @Sendable () -> Int = { 6 }
    var existential: any Sendable & CustomStringConvertible = 8
    var nothing: Void = ()
  }

  /// Decides to tell its state.
  struct Telling<Value: Sendable>: Interactor {
    typealias Mutations = Effect<Self>

    let text: @Sendable (Value) -> String

    func decide(_ action: Void, state: Value) -> Decision<String> { .mutate(text(state)) }

    static func reduce(into state: inout Value, mutation: String) {}
  }

  struct Whole: Interactor {
    typealias Mutations = Effect<Self>

    static func reduce(into state: inout Parts, mutation: String) {}

    func decide(_ action: Void, state: Parts) -> Decision<String> { .ignore }
  }

  /// The mutations of a child at a key path, which tell its state.
  private func told<Value: Sendable>(
    _ parts: Parts, _ state: any KeyPath<Parts, Value> & Sendable,
    text: @escaping @Sendable (Value) -> String = { "\($0)" }
  ) -> [String] {
    KeyPathScoped<Whole, Telling<Value>>(Telling(text: text), state: state) { $0 }.decide((), state: parts).mutations
  }

  @Test("A child has its part of the state, whether that is stored in the parent, beside it, or computed")
  func parts() {
    var parts = Parts()
    parts.observed = 9
    let box = parts.box
    parts.link = box
    #expect(told(parts, \.stored) == ["9"])
    #expect(told(parts, \.observed) == ["9"])
    #expect(told(parts, \.computed) == ["18"])
    #expect(told(parts, \.inner.byte) == ["1"])
    #expect(told(parts, \.inner.text) == [parts.inner.text])
    #expect(told(parts, \.box.value) == ["7"])
    #expect(told(parts, \.link) { $0 === box ? "the box" : "another" } == ["the box"])
    #expect(told(parts, \.link?.value) { "\($0 ?? 0)" } == ["7"])
    #expect(told(parts, \.optional) { "\($0 ?? 0)" } == ["5"])
    #expect(told(parts, \.function) { "\($0())" } == ["6"])
    #expect(told(parts, \.existential) { $0.description } == ["8"])
    #expect(told(parts, \.nothing) { _ in "nothing" } == ["nothing"])
    #expect(told(parts, \.self) { "\($0.flag)" } == ["true"])
  }
}
