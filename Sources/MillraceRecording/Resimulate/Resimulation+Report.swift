import Millrace

/// The differences, once all entries were taken.
extension ResimulationBoard {
  /// All differences, those that were noted on the way first.
  ///
  /// - Parameters:
  ///   - calls: the recorded calls.
  ///   - compared: what of a mutation of now is compared.
  ///   - passed: the recorded runs to compare; nil for all.
  func allDifferences(
    _ calls: [RecordedCall], compared: @Sendable (Mutation) -> Mutation, among passed: Set<RunID>?
  ) -> [ResimulationDifference] {
    func isAsked(_ run: RunID) -> Bool { passed?.contains(run) ?? true }
    let content = read { $0 }
    let runs = content.runs
    let unexpected = runs.unexpected.map { sender, name in
      let who = sender.flatMap { runs.pasts[$0]?.name } ?? "What is not recorded"
      return ResimulationDifference(
        .unexpectedAction, sender, "\(who) sent \(name), which it did not when it was recorded.")
    }
    // The results of calls of unrecorded runs are unknown.
    let unused = calls.indices.filter { index in
      content.calls.isOpen(index) && calls[index].run.map { runs.pasts[$0] != nil && isAsked($0) } ?? (passed == nil)
    }.map { index in
      let call = calls[index]
      let who = call.run.flatMap { runs.pasts[$0]?.name } ?? "What is not recorded"
      return ResimulationDifference(
        .unusedReply, call.run,
        "\(who) did not call \"\(call.name)\" with \(call.request) again, so its recorded reply was not used.")
    }
    return content.differences + unexpected + unused
      + runs.recorded.filter(isAsked).flatMap { runs.differences(of: $0, compared) }
  }
}

extension ResimulatedRuns {
  /// The differences of a recorded run.
  fileprivate func differences(of run: RunID, _ compared: (Mutation) -> Mutation) -> [ResimulationDifference] {
    guard let past = pasts[run] else { return [] }
    guard let live = lives[run] else {
      return [ResimulationDifference(.missingAction, run, "\(past.name) was not sent again.")]
    }
    var differences: [ResimulationDifference] = []
    let mutations = live.mutations.map(compared)
    // Where a value cannot be encoded, it could not have been recorded either.
    if let lines = try? EncodedDifference.lines(from: past.mutations, to: mutations) {
      differences.append(
        ResimulationDifference(
          .mutations, run,
          """
          \(past.name) committed other mutations than when it was recorded. Recorded → resimulated:
          \(lines.map { "  \($0)" }.joined(separator: "\n"))
          """))
    }
    if let outcome = past.outcome, let now = live.outcome, outcome != now {
      differences.append(
        ResimulationDifference(.outcome, run, "\(past.name) ended as \(now), and as \(outcome) when it was recorded."))
    }
    return differences
  }
}
