import Millrace
import MillraceTerminal

/// Writes the durable states of a service until its store is shut down, one after the other, the last one always.
struct Reporter: Sendable {
  let output: any TextOutput
  let presentation: any Presentation
  /// Whether only the last state is written.
  let isFinalOnly: Bool
  /// The time to wait after a change for the changes that come with it: a round of probes becomes one line.
  let pace: Duration
  let clock: any Clock<Duration>

  /// The longest time for which a stalled reader can delay the end.
  fileprivate static let grace: Duration = .seconds(1)

  /// Writes the first state that shows something at once, then the newest one whenever there are changes.
  ///
  /// With a journal a state is written once it is durable, and none after the journal has failed.
  ///
  /// - Throws: ``OutputError``, when the output is closed or broken; `CancellationError`.
  func report(_ reader: StateReader<PulseState>) async throws {
    var presentation = presentation
    var written: Int?
    for await snapshot in reader.snapshots(.durable) {
      guard !isFinalOnly, snapshot.state.isWorthShowing, snapshot.revision != written else { continue }
      if written != nil {
        try await clock.sleep(for: pace)
      }
      guard let newest = written == nil ? snapshot : await reader.durableSnapshot else { break }
      try await output.write(presentation.text(newest))
      written = newest.revision
    }
    let last = await reader.durableSnapshot
    let text = (last.flatMap { $0.revision == written ? nil : presentation.text($0) } ?? "") + presentation.end
    if !text.isEmpty {
      try await output.write(text)
    }
  }
}

extension StateReader<PulseState> {
  /// The newest state, once it is durable; nil if the journal has failed before.
  fileprivate var durableSnapshot: Snapshot<PulseState>? {
    get async { await snapshots(.durable).first { _ in true } }
  }
}

extension Task<Void, any Error> {
  /// Waits until the last state is written by this task, but not for ever.
  ///
  /// - Throws: ``OutputError``.
  func lastStateWritten(on clock: any Clock<Duration>) async throws {
    do {
      try await value(within: Reporter.grace, on: clock)
    } catch is CancellationError {
      // The reader takes nothing; what it has not taken is lost with it.
      throw OutputError.closed
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
