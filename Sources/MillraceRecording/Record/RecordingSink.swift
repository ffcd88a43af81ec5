import Foundation

/// The destination of a recording's lines.
protocol RecordingSink: Sendable {
  /// Begins a recording with its first line, in place of an earlier one.
  mutating func begin(_ header: Data) throws(RecordingError)

  /// Adds whole lines.
  mutating func write(_ lines: Data) throws(RecordingError)

  /// Ends it.
  mutating func close()

  /// The error of a recording whose file was moved or removed; nil while the file is at its place.
  var loss: RecordingError? { get }
}

extension RecordingSink {
  var loss: RecordingError? { nil }
}
