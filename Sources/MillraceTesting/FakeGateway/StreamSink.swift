/// The destination of the elements of a fake stream, for any type of sequence.
struct StreamSink<Element: Sendable>: Sendable {
  let yield: @Sendable (Element) -> Void
  /// Ends the sequence; nil is without an error.
  let finish: @Sendable ((any Error)?) -> Void
}
