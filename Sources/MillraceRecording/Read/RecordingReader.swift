public import Foundation
public import Millrace
import MillraceEntries

/// Reads a recording from a file, entry by entry, with a flat memory however long it is.
///
/// ```swift
/// var reader = try RecordingReader<Shop>(url)
/// while let entry = try reader.next() { show(entry) }
/// ```
///
/// Once it has thrown, it has no more entries.
public struct RecordingReader<I: Interactor>: ~Copyable
where I.Action: Codable, I.Mutation: Codable, I.State: Codable {
  /// Something that happened.
  public typealias Entry = RecordingEntry<I.Action, I.Mutation, I.State>

  /// The header, which says which store was recorded.
  public let header: RecordingHeader

  /// The state that it begins with.
  public let start: RecordedState<I.State>

  /// The error that says where the file was cut in its last line, once the reader has reached it, if cuts are accepted.
  public private(set) var cut: RecordingError?

  private let acceptsCutEnd: Bool
  private let name: String
  private let decoder: JSONDecoder

  /// The types that it is read with; nil if those read any JSON.
  private let types: TypeNames?
  private var lines: LineReader
  private var order: EntryOrder
  private var hasEnded = false

  /// Opens a file and reads its first line.
  ///
  /// - Parameters:
  ///   - url: the file.
  ///   - acceptsCutEnd: whether a file that a crash has cut in its last line is read up to there; ``cut`` says so then.
  ///     Otherwise it is an error.
  ///   - progress: called with the number of bytes of the file that were read so far, each 256 KiB and at the end.
  /// - Throws: ``RecordingError`` when the file cannot be read, or is no recording of these types.
  public init(
    _ url: URL, acceptsCutEnd: Bool = false, progress: @escaping (_ bytes: Int) -> Void = { _ in }
  ) throws(RecordingError) {
    let lines: LineReader
    do {
      lines = try LineReader(url, progress: progress)
    } catch {
      throw .unreadable(url.path.quoted, error)
    }
    try self.init(lines, name: url.path.quoted, acceptsCutEnd: acceptsCutEnd)
  }

  /// Reads the first line of a recording that is in memory.
  ///
  /// - Parameters:
  ///   - data: the lines of a file.
  ///   - acceptsCutEnd: whether a last line that is cut is left out; ``cut`` says so then. Otherwise it is an error.
  /// - Throws: ``RecordingError`` when it is no recording of these types.
  public init(_ data: Data, acceptsCutEnd: Bool = false) throws(RecordingError) {
    try self.init(LineReader(data), name: "The data", acceptsCutEnd: acceptsCutEnd)
  }

  private init(_ lines: LineReader, name: String, acceptsCutEnd: Bool) throws(RecordingError) {
    var lines = lines
    let decoder = JSON.decoder()
    let types = I.State.self is any ReadsAnyJSON.Type ? nil : TypeNames(of: I.self)
    let (first, line) = try HeaderLine<I.State>.read(from: &lines, name: name, decoder, types)
    start = try first.start.proven(by: line)
    header = first.header
    order = EntryOrder(revision: first.start.revision)
    self.decoder = decoder
    self.types = types
    self.lines = lines
    self.name = name
    self.acceptsCutEnd = acceptsCutEnd
  }

  /// The next entry; nil at the end.
  ///
  /// Blank lines at the end are no entries, and no error.
  ///
  /// - Throws: ``RecordingError`` when the file cannot be read, a line is broken, or lines are in another order than they were
  ///   written in; the description has the number of the line.
  public mutating func next() throws(RecordingError) -> Entry? {
    if hasEnded { return nil }
    hasEnded = true  // Unless this line is an entry.
    guard let line = try nextLine() else { return nil }
    let entry: Entry
    do {
      entry = try EntryLine<I.Action, I.Mutation, I.State>.entry(ofLine: line.bytes, decoder)
    } catch {
      if line.isBlank, try restIsBlank() { return nil }
      guard !line.isWhole else { throw broken(line, error) }
      let cut = RecordingError.cutEnd(line: line.number)
      guard acceptsCutEnd else { throw cut }
      self.cut = cut
      return nil
    }
    try check(entry, line.number)
    let checked = try proven(entry, by: line)
    hasEnded = false
    return checked
  }

  private func proven(_ entry: Entry, by line: LineReader.Line) throws(RecordingError) -> Entry {
    guard case .state(let state) = entry else { return entry }
    return .state(try state.proven(by: line))
  }

  /// Reads on, and returns whether nothing but blank lines follows.
  private mutating func restIsBlank() throws(RecordingError) -> Bool {
    while let line = try nextLine() {
      if !line.isBlank { return false }
    }
    return true
  }

  private mutating func nextLine() throws(RecordingError) -> LineReader.Line? {
    do {
      return try lines.next()
    } catch let error as RecordingError {
      throw error
    } catch {
      throw .unreadable(name, error)
    }
  }

  private mutating func check(_ entry: Entry, _ line: Int) throws(RecordingError) {
    let last = order.revision
    switch entry {
    case .commit(let commit):
      if order.commit(commit.revision) == .wrong {
        throw .wrongOrder(line: line, "commits", commit.revision, after: last)
      }
    case .state(let state):
      if order.state(state.revision) == .wrong {
        throw .wrongOrder(line: line, "has the state of", state.revision, after: last)
      }
    case .gap: order.gap()
    case .action, .call, .rest, .step, .end: break
    }
  }

  private func broken(_ line: LineReader.Line, _ error: any Error) -> RecordingError {
    if (try? decoder.decode(VersionLine.self, from: line.bytes)) != nil {
      return .secondHeader(line: line.number)
    }
    return .broken(line: line.number, error, of: header.types, readWith: types)
  }
}

extension HeaderLine {
  /// Reads the first line of a file; what does not begin as a recording does is read no further.
  fileprivate static func read(
    from lines: inout LineReader, name: String, _ decoder: JSONDecoder, _ types: TypeNames?
  ) throws(RecordingError) -> (HeaderLine, LineReader.Line) {
    let beginning = Data(RecordingHeader.beginning.utf8)
    let line: LineReader.Line?
    do {
      try lines.skipByteOrderMark()
      let found = try lines.beginning(beginning.count)
      guard found.isEmpty || beginning.starts(with: found) else { throw RecordingError.noHeader }
      line = try lines.next()
    } catch let error as RecordingError {
      throw error
    } catch {
      throw .unreadable(name, error)
    }
    guard let line else { throw .empty(name) }
    guard let version = try? decoder.decode(VersionLine.self, from: line.bytes).millraceRecording else {
      throw line.isWhole ? .noHeader : .cutHeader
    }
    guard version <= RecordingHeader.currentVersion else { throw .newer(version) }
    do {
      return (try decoder.decode(HeaderLine.self, ofLine: line.bytes, for: State.self), line)
    } catch {
      throw .broken(
        line: 1, error, of: try? decoder.decode(TypeNames.self, from: line.bytes), readWith: types)
    }
  }
}

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

  private init(_ reader: consuming RecordingReader<I>) throws(RecordingError) {
    var entries: [Entry] = []
    while let entry = try reader.next() { entries.append(entry) }
    self.init(header: reader.header, start: reader.start, entries: entries, cut: reader.cut)
  }
}
