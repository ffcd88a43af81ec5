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
