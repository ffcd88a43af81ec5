import Foundation
import Millrace
import MillraceEntries

/// The result of a replay.
public struct ReplayReport<State: Sendable>: Sendable, CustomStringConvertible {
  /// The state at the end, or where the replay differs.
  public internal(set) var state: State

  /// The revision of that state; commits that were ``skipped`` at the end come after it.
  public internal(set) var revision: Int

  /// The number of mutations that were reduced.
  public internal(set) var commits = 0

  /// The number of recorded states that were compared, each behind a commit at least.
  public internal(set) var comparisons = 0

  /// The number of commits that could not be replayed, because no state was recorded after a gap.
  public internal(set) var skipped = 0

  /// The first revision at which the replay leads to another state; nil if there is none.
  public internal(set) var divergence: ReplayDivergence<State>?

  /// The error that says where the file was cut, if that was accepted.
  public internal(set) var cut: RecordingError?

  /// The verdict.
  public var verdict: ReplayVerdict {
    if divergence != nil { return .different }
    return comparisons > 0 ? .same : .nothingCompared
  }

  /// Whether states were compared, and all of them are the same; at least the commits behind the last one are not compared.
  public var isSame: Bool { verdict == .same }

  /// The result in a sentence or two, or with the difference.
  public var description: String {
    let beginning = "Replayed \(counted(commits, "commit")) up to revision \(revision)"
    let notes =
      (skipped == 0 ? "" : " \(counted(skipped, "commit")) behind gaps could not be replayed.")
      + (cut.flatMap(\.line).map { " The recording is cut in line \($0)." } ?? "")
    switch verdict {
    case .different: return divergence.map(\.description) ?? ""
    case .same:
      let states = comparisons == 1 ? "1 recorded state is" : "\(comparisons) recorded states are"
      return "\(beginning); \(states) the same.\(notes)"
    case .nothingCompared where commits == 0:
      return "No commit was replayed, so nothing was compared and nothing is proven.\(notes)"
    case .nothingCompared:
      return """
        \(beginning), but nothing was compared and nothing is proven: no state is recorded behind \(commits == 1 ? "it" : "them"). \
        End a recorder with finish(with: store.snapshot), or give it a smaller checkpoint.\(notes)
        """
    }
  }

  private func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
}

/// The first revision at which a replay leads to another state than the one that was recorded.
public struct ReplayDivergence<State: Sendable>: Sendable, CustomStringConvertible {
  /// The first revision whose recorded state differs.
  public let revision: Int

  /// The last revision whose recorded state was the same: one of the mutations between is reduced otherwise.
  ///
  /// It is ``revision`` where two states are recorded of it.
  public let lastSame: Int

  /// The state that was recorded.
  public let recorded: State

  /// The state that the replay has led to.
  public let replayed: State

  /// The difference, a line for each part: the recorded value, and the present one.
  public let difference: [String]

  /// Possible reasons other than the reducer: sentences, each behind a space.
  let hint: String

  /// The path at which the states differ, and the difference.
  public var description: String {
    let lines = difference.map { "  \($0)" }.joined(separator: "\n")
    if revision == lastSame {
      return """
        Two states are recorded of revision \(revision), and they differ though no mutation is between them: lines were changed, or \
        put together. Take the file as the recorder wrote it. The later → the earlier:
        \(lines)
        """
    }
    let mutations = lastSame + 1 == revision ? "Mutation \(revision)" : "A mutation of \(lastSame + 1) to \(revision)"
    return """
      At revision \(revision) the state differs from what was recorded; at revision \(lastSame) it was the same. \(mutations) is \
      reduced otherwise than when it was recorded.\(hint) Recorded → replayed:
      \(lines)
      """
  }
}

/// The verdict of a replay or a resimulation.
public enum ReplayVerdict: Sendable, Hashable {
  /// The recorded values have come again; there was at least one to compare with.
  case same

  /// Something was otherwise; see ``ReplayReport/divergence`` and ``ResimulationReport/differences``.
  case different

  /// Nothing: no state was recorded behind a commit that was replayed, or no action was resimulated.
  case nothingCompared
}

/// The difference between a recorded value and the present one.
enum EncodedDifference {
  /// A line for each part that differs; nil if the values are the same.
  ///
  /// They are the same if they are encoded the same, for `==` may leave parts out; the order of a set's elements and of a
  /// dictionary's pairs is none of theirs, and that of an array counts.
  ///
  /// - Throws: the error of the encoder.
  static func lines<Value: Encodable>(from recorded: Value, hash: StateHash? = nil, to current: Value) throws
    -> [String]?
  {
    let json = try JSON.encoder().encode(current)
    if let hash, hash == StateHash(ofJSON: json) { return nil }
    if try json == JSON.encoder().encode(recorded) { return nil }
    if try CanonicalText(recorded) == CanonicalText(current) { return nil }
    let difference = ValueDifference(from: recorded, to: current)
    if difference.isEmpty { return ["the values are equal by ==, and are encoded differently"] }
    return difference.lines.map { $0.shown() }
  }
}
