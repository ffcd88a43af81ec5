import Millrace
import MillraceTerminal

/// Writes the durable states of a store until it is shut down, one after the other, the last one always.
struct Reporter: Sendable {
  let output: any TextOutput
  let presentation: any Presentation
  /// Whether only the last state is written.
  let isFinalOnly: Bool
  /// The time to wait after a change for the changes that come with it: a round of probes becomes one line.
  let pace: Duration
  let clock: any Clock<Duration>

  /// Writes the first state that shows something at once, then the newest one whenever there are changes.
  ///
  /// With a journal a state is written once it is durable, and none after the journal has failed.
  ///
  /// - Throws: ``OutputError``, when the output is closed or broken; `CancellationError`.
  func report(_ store: Store<PulseMonitor>) async throws {
    var presentation = presentation
    var written: Int?
    for await snapshot in store.snapshots(.durable) {
      guard !isFinalOnly, snapshot.state.isWorthShowing, snapshot.revision != written else { continue }
      if written != nil {
        try await clock.sleep(for: pace)
      }
      guard let newest = written == nil ? snapshot : await store.durableSnapshot else { break }
      try await output.write(presentation.text(newest))
      written = newest.revision
    }
    let last = await store.durableSnapshot
    let text = (last.flatMap { $0.revision == written ? nil : presentation.text($0) } ?? "") + presentation.end
    if !text.isEmpty {
      try await output.write(text)
    }
  }
}

extension PulseState {
  /// Whether there is a sample, or the reason why there is none.
  var isWorthShowing: Bool { machine.sample != nil || machine.failure != nil }
}

/// Complaints that no state can show: whole sentences, one a line, on standard error.
struct Complaints: Sendable {
  let output: any TextOutput
  let clock: any Clock<Duration>

  /// The longest time for which a stalled reader can delay a sentence.
  private static let patience: Duration = .seconds(1)

  /// Writes a sentence; where that fails no reader is left.
  func say(_ sentence: String) async {
    let writing = Task { try await output.write(Printable.text(sentence, isASCII: false) + "\n") }
    try? await writing.value(within: Self.patience, on: clock)
  }
}
