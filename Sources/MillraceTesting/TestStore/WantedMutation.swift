import Millrace

/// The mutation that a test waits for.
struct WantedMutation<Mutation> {
  /// The name of the mutation in failures.
  let name: String
  let matches: (Mutation) -> Bool
  /// The difference of a mutation of the same case that does not match; nil if they have nothing in common.
  let difference: (Mutation) -> ValueDifference?

  /// A mutation that the test describes.
  init(_ name: String, where matches: @escaping (Mutation) -> Bool) {
    self.name = name
    self.matches = matches
    difference = { _ in nil }
  }
}

extension WantedMutation where Mutation: Equatable {
  /// This one.
  init(_ mutation: Mutation) {
    name = ValueText.of(mutation, limit: 200)
    matches = { $0 == mutation }
    difference = { other in
      CaseName.of(other) == CaseName.of(mutation) ? ValueDifference(from: mutation, to: other) : nil
    }
  }
}
