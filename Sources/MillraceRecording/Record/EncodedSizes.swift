import Millrace

/// About how large entries are once they are encoded: averages of those that were, in which the last ones count most.
final class EncodedSizes: Sendable {
  /// The kinds of entries that may be large.
  enum Kind {
    case action, call, commit, state
  }

  private struct Averages {
    var action = 0, call = 0, commit = 0, state = 0

    subscript(kind: Kind) -> Int {
      get {
        switch kind {
        case .action: action
        case .call: call
        case .commit: commit
        case .state: state
        }
      }
      set {
        switch kind {
        case .action: action = newValue
        case .call: call = newValue
        case .commit: commit = newValue
        case .state: state = newValue
        }
      }
    }
  }

  /// The least size that an entry counts as, in bytes.
  static let least = 64

  private let averages = Lock(Averages())

  /// Notes how many bytes an entry has.
  func note(_ bytes: Int, of kind: Kind) {
    averages.withLock { $0[kind] = $0[kind] == 0 ? bytes : $0[kind] + (bytes - $0[kind]) / 8 }
  }

  /// About how many bytes an entry will have, and its state with it if it brings one.
  func expected(of kind: Kind?, withState: Bool) -> Int {
    averages.withLock { averages in
      EncodedSizes.least + (kind.map { averages[$0] } ?? 0) + (withState ? averages.state : 0)
    }
  }
}

extension RecordingEntry {
  /// The average that the entry belongs to; nil if the entry is small.
  var sizeKind: EncodedSizes.Kind? {
    switch self {
    case .action: .action
    case .call: .call
    case .commit: .commit
    case .state: .state
    case .rest, .end, .gap: nil
    }
  }
}
