/// What goes wrong and cannot be shown as a state: whole sentences, one a line, on standard error.
struct Complaints: Sendable {
  let output: any TextOutput
  let clock: any Clock<Duration>

  /// How long a reader who has stopped reading can hold up a sentence.
  private static let patience: Duration = .seconds(1)

  /// Writes a sentence; where that fails there is nobody to tell.
  func say(_ sentence: String) async {
    let writing = Task { try await output.write(Printable.text(sentence, isASCII: false) + "\n") }
    try? await writing.value(within: Self.patience, on: clock)
  }
}
