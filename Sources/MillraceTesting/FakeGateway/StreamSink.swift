/// Where the elements of a fake stream go, whichever type of sequence they come out of.
struct StreamSink<Element: Sendable>: Sendable {
  let yield: @Sendable (Element) -> Void
  /// Ends the sequence; nil is without an error.
  let finish: @Sendable ((any Error)?) -> Void
}
