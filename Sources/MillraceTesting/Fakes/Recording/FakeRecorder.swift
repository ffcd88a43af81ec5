import Foundation
import Millrace

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Writes the calls of live gateways to a file, for a ``FakeRecording`` to replay them.
///
/// ```swift
/// let recorder = try FakeRecorder(path: "Tests/Fixtures/records.jsonl")
/// gateway.fetches.record(in: recorder) { try await live.fetch($0) }
/// …
/// try recorder.finish()
/// ```
///
/// The file has one JSON object a line: its version, and then each call when it has ended, with the name of the fake,
/// the request, and the response or the error; of a stream the elements with their times. It has the requests and the answers of the gateway, so keep
/// secrets out of them that must not be in a repository. Keys are sorted, so that two recordings can be compared.
///
/// Until ``finish()`` the lines are in another file beside it, whose name ends in `.partial`, so that a run that
/// fails halfway leaves an earlier recording as it was. That file is locked, for a path has one recorder at a time. It may be
/// used from any thread.
public final class FakeRecorder: Sendable {
  private struct Output {
    /// Nil once it is finished.
    var file: PartialFile?
    var calls = 0
    var lastStream = 0
    /// The writers of open streams.
    var streams: [Int: @Sendable () -> Void] = [:]
  }

  /// The path of the finished file.
  public let path: String
  /// The clock of streams.
  private let clock: any Clock<Duration>
  private let output: Lock<Output>
  private let reporter = FailureReporter()
  private let location: TestLine

  /// Begins a recording; one that is there stays until this one is finished.
  ///
  /// - Parameters:
  ///   - path: where the file is to be.
  ///   - clock: the clock that measures the times of a stream's elements.
  ///   - file: the file of failures of the recorder.
  ///   - line: the line of failures of the recorder.
  /// - Throws: ``FakeRecordingError/Code/inaccessible`` when it cannot be written, and ``FakeRecordingError/Code/inUse``
  ///   when another recorder of this path, in this process or in another one, is neither finished nor released.
  public init(
    path: String, clock: any Clock<Duration> = ContinuousClock(), file: StaticString = #filePath, line: UInt = #line
  ) throws(FakeRecordingError) {
    self.path = path
    self.clock = clock
    location = TestLine(file, line)
    output = Lock(Output(file: try PartialFile(of: path)))
    try write { try JSONEncoder.sorted.encode(FakeRecordingHeader.current) }
    output.withLock { $0.calls = 0 }
  }

  deinit {
    let (file, calls) = output.withLock { ($0.file, $0.calls) }
    guard let file else { return }
    if calls == 0 {
      file.remove()
    } else {
      reporter.fail(
        """
        The recorder was released without finish(), so that \(path) is as it was; what was recorded stands in \
        \(file.path). Call finish() once all calls have ended.
        """, file: location.file, line: location.line)
    }
  }

  /// Ends the recording: puts it in place of an earlier one.
  ///
  /// Streams that are open are written as such, with the elements so far. Calls that end later are failures of the test.
  ///
  /// - Throws: ``FakeRecordingError/Code/empty`` when nothing was recorded, and ``FakeRecordingError/Code/inaccessible`` when
  ///   the file cannot be written; an earlier recording stays as it was then. A second call does nothing.
  public func finish() throws(FakeRecordingError) {
    for stream in output.withLock({ output in output.streams.sorted { $0.key < $1.key } }) { stream.value() }
    let (file, calls) = output.withLock { output in
      defer { output.file = nil }
      return (output.file, output.calls)
    }
    guard let file else { return }
    if calls == 0 {
      file.remove()
      throw FakeRecordingError(
        .empty, path, "no call was recorded, and the file is as it was; make the calls before finish().")
    }
    try file.replace()
  }

  /// Writes a call; a stream only if it is not written yet.
  func write<Request, Value>(
    _ call: RecordedCall<Request, Value>, _ forms: RecordedForms<Request, Value>, stream: Int? = nil
  ) throws(FakeRecordingError) {
    try write(stream) { try JSONEncoder.sorted.encode(call, configuration: forms) }
  }

  private func write(_ stream: Int? = nil, _ encode: () throws -> Data) throws(FakeRecordingError) {
    let line: Data
    do { line = try encode() + Data([0x0A]) } catch {
      if output.withLock({ Self.isWritten(stream, &$0) }) { return }
      throw FakeRecordingError(.broken, path, "a call cannot be encoded as JSON, and is left out: \(error).")
    }
    let isWritten = try output.withLock { output throws(FakeRecordingError) in
      // In one step with the writing, so that the end of the recording finds each stream, or finds it written.
      if Self.isWritten(stream, &output) { return true }
      guard let file = output.file else { return false }
      try file.write(line)
      output.calls += 1
      return true
    }
    if !isWritten {
      throw FakeRecordingError(
        .finished, path, "a call ended after finish(), and is left out; call finish() once all calls have ended.")
    }
  }

  // MARK: Streams

  /// Sets the clock of a stream.
  func time() -> FakeTime { FakeTime(clock) }

  /// A number for a stream that no other has.
  func makeStream() -> Int {
    output.withLock { output in
      output.lastStream += 1
      return output.lastStream
    }
  }

  /// A stream begins; what is given writes it as far as it has come, when the recording ends before it.
  func begin(_ stream: Int, _ write: @escaping @Sendable () -> Void) {
    output.withLock { $0.streams[stream] = write }
  }

  /// Whether a stream was written before; from now on it is.
  private static func isWritten(_ stream: Int?, _ output: inout Output) -> Bool {
    stream.map { output.streams.removeValue(forKey: $0) == nil } ?? false
  }
}

/// The file of a recording until it is finished: beside its place, and locked so that it has one recorder.
///
/// A lock ends with its process, so that a left-over file blocks no recorder. Where the file system knows no
/// locks, no recorder has it.
struct PartialFile: Sendable {
  /// The path of the partial file.
  let path: String
  private let recording: String
  private let handle: FileHandle

  /// The path of a recording's partial file.
  static func path(of recording: String) -> String { recording + ".partial" }

  /// Takes the file for this recorder, and empties it.
  init(of recording: String) throws(FakeRecordingError) {
    self.recording = recording
    path = Self.path(of: recording)
    var handle: FileHandle
    repeat {
      let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o666)
      guard descriptor >= 0 else { throw .unwritable(recording) }
      handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else { throw .inUse(recording) }
      // Its recorder may have finished, and put it in its place, before it was locked here.
    } while !Self.isStill(handle, at: path)
    guard ftruncate(handle.fileDescriptor, 0) == 0 else { throw .unwritable(recording) }
    self.handle = handle
  }

  private static func isStill(_ handle: FileHandle, at path: String) -> Bool {
    var (own, there) = (stat(), stat())
    guard fstat(handle.fileDescriptor, &own) == 0, lstat(path, &there) == 0 else { return false }
    return own.st_ino == there.st_ino && own.st_dev == there.st_dev
  }

  func write(_ line: Data) throws(FakeRecordingError) {
    do { try handle.write(contentsOf: line) } catch { throw .unwritable(recording) }
  }

  /// Puts it in the place of the recording, and lets it go; that is as it was if this throws.
  func replace() throws(FakeRecordingError) {
    // The lock is released last, so that no other recorder begins with this file meanwhile.
    defer { try? handle.close() }
    do { try handle.synchronize() } catch { throw .unwritable(recording) }
    if rename(path, recording) != 0 { throw .unwritable(recording) }
  }

  /// Takes it away, and lets it go.
  func remove() {
    try? FileManager.default.removeItem(atPath: path)
    try? handle.close()
  }
}

extension FakeRecordingError {
  fileprivate static func unwritable(_ path: String) -> FakeRecordingError {
    FakeRecordingError(
      .inaccessible, path, "a recording cannot be written there; see that its folder exists and may be written to.")
  }

  fileprivate static func inUse(_ path: String) -> FakeRecordingError {
    FakeRecordingError(
      .inUse, path,
      """
      another recorder, in this process or in another one, records to this file; finish that one first, record all calls \
      in it, or give each recorder a path of its own.
      """)
  }
}
