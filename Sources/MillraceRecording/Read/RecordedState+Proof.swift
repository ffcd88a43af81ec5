import Foundation

extension RecordedState {
  /// The state of a line, once its hash was found to be made of what stands there.
  ///
  /// Where the line does not have the form in which it was written there is nothing to make the hash of; then the state continues
  /// without it, and a replay compares the states themselves.
  ///
  /// - Throws: ``RecordingError`` when the state of the line is another one.
  func proven(by line: LineReader.Line) throws(RecordingError) -> RecordedState {
    guard let hash else { return self }
    guard let json = line.bytes.state(behind: hash) else {
      return RecordedState(at: at, revision: revision, state: state)
    }
    guard StateHash(ofJSON: json) == hash else { throw .damagedState(line: line.number) }
    return self
  }
}

extension Data {
  /// The JSON of the state in a line that a recorder wrote: it stands behind its hash, and ends the line.
  fileprivate func state(behind hash: StateHash) -> Data? {
    let key = Data(",\"hash\":\"\(hash)\",\"state\":".utf8)
    guard last == UInt8(ascii: "}"), let key = range(of: key) else { return nil }
    return self[key.upperBound...].dropLast()
  }
}
