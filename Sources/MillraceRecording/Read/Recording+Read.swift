public import Foundation

extension Recording {
  /// Reads a whole recording from a file.
  ///
  /// - Parameters:
  ///   - url: the file.
  ///   - acceptsCutEnd: whether a file that a crash has cut in its last line is read up to there; ``cut`` says so then.
  ///     Otherwise it is an error.
  /// - Throws: ``RecordingError`` when the file cannot be read, is no recording of these types, or has a broken line; the
  ///   description has the number of the line.
  public static func read(from url: URL, acceptsCutEnd: Bool = false) throws(RecordingError) -> Recording {
    try Recording(RecordingReader(url, acceptsCutEnd: acceptsCutEnd))
  }

  /// Reads a whole recording from the lines of a file.
  ///
  /// - Parameters:
  ///   - data: the lines.
  ///   - acceptsCutEnd: whether a last line that is cut is left out; ``cut`` says so then. Otherwise it is an error.
  /// - Throws: ``RecordingError`` when it is no recording of these types, or has a broken line.
  public static func read(from data: Data, acceptsCutEnd: Bool = false) throws(RecordingError) -> Recording {
    try Recording(RecordingReader(data, acceptsCutEnd: acceptsCutEnd))
  }

  private init(_ reader: consuming RecordingReader<Action, Mutation, State>) throws(RecordingError) {
    var entries: [Entry] = []
    while let entry = try reader.next() { entries.append(entry) }
    self.init(header: reader.header, start: reader.start, entries: entries, cut: reader.cut)
  }
}
