import Millrace

#if canImport(Testing)
  import Testing
  import XCTest
#endif

/// The destination of the failures of a store, a fake or a clock: the test that was running where it was made.
///
/// A failure may come from a task that belongs to no test, such as a handler's. It is recorded for the test all the same, as
/// long as the test runs; ``settle()`` waits for that. Without a test of Swift Testing it is one of XCTest, and where there is
/// no test at all, as in a benchmark, a line on standard error.
final class FailureReporter: Sendable {
  private enum Destination {
    /// The owner collects the failures.
    case collector(FailureCollector)
    #if canImport(Testing)
      /// A test of Swift Testing; what other tasks report is recorded by a task of the test's own.
      case test(Test, AsyncStream<Message>.Continuation)
    #endif
    /// No test of Swift Testing was current.
    case elsewhere
  }

  private enum Message {
    case failure(Failure)
    case mark(CheckedContinuation<Void, Never>)
  }

  /// Takes the failures of what is made while it is bound, in place of the test.
  @TaskLocal static var collector: FailureCollector?

  private let destination: Destination

  /// Remembers the current test.
  init() {
    destination = Self.collector.map { .collector($0) } ?? Self.currentTest() ?? .elsewhere
  }

  private static func currentTest() -> Destination? {
    #if canImport(Testing)
      guard let test = Test.current else { return nil }
      let (messages, continuation) = AsyncStream.makeStream(of: Message.self)
      // It inherits the test; nothing else makes an issue the test's, when it is found elsewhere.
      Task {
        for await message in messages {
          switch message {
          case .failure(let failure): Self.record(failure)
          case .mark(let continuation): continuation.resume()
          }
        }
      }
      return .test(test, continuation)
    #else
      return nil
    #endif
  }

  #if canImport(Testing)
    deinit {
      if case .test(_, let continuation) = destination { continuation.finish() }
    }
  #endif

  /// Reports a failure; callable from anywhere, it does not wait.
  ///
  /// - Parameters:
  ///   - message: the sentence of the failure.
  ///   - file: the file that it is about.
  ///   - line: the line that it is about.
  ///   - location: the same where Swift Testing has told it, which then counts.
  func fail(_ message: String, file: StaticString, line: UInt, at location: TestLocation? = nil) {
    let failure = Failure(message: message, file: file, line: line, location: location)
    switch destination {
    case .collector(let collector): collector.collect(failure)
    #if canImport(Testing)
      case .test(let test, let continuation):
        if Test.current == test { Self.record(failure) } else { continuation.yield(.failure(failure)) }
    #endif
    case .elsewhere: Self.reportElsewhere(failure)
    }
  }

  /// Waits until all that was reported before has been recorded for the test.
  func settle() async {
    #if canImport(Testing)
      guard case .test(_, let continuation) = destination else { return }
      await withCheckedContinuation { _ = continuation.yield(.mark($0)) }
    #endif
  }

  private static func reportElsewhere(_ failure: Failure) {
    #if canImport(Testing)
      if CommandLine.arguments.first?.hasSuffix(".xctest") == true || isXCTestRunner {
        XCTFail(failure.message, file: failure.file, line: failure.line)
        // Outside of a test case XCTest keeps silent, and Swift Testing has a test without a name for it; and the other way round.
        record(failure)
        return
      }
    #endif
    writeToStandardError(line: "\(failure.file):\(failure.line): \(failure.message)")
  }

  #if canImport(Testing)
    private static func record(_ failure: Failure) {
      let path = "\(failure.file)"
      // The name is shown, and the rest of the path is that of the file.
      let name = path.split(separator: "/").suffix(2).joined(separator: "/")
      let location =
        failure.location
        ?? TestLocation(
          fileID: name.contains("/") ? name : "Tests/\(name)", filePath: path, line: max(Int(failure.line), 1),
          column: 1)
      Issue.record(Comment(rawValue: failure.message), sourceLocation: location)
    }

    /// Whether a bundle of tests is run by the tool of another system.
    private static var isXCTestRunner: Bool {
      CommandLine.arguments.first?.hasSuffix("/xctest") == true
    }
  #endif
}

#if canImport(Testing)
  typealias TestLocation = Testing.SourceLocation
#else
  /// The place of a failure in a test of Swift Testing; there is none where that library is not linked, as in static programs.
  struct TestLocation: Equatable, Sendable {}
#endif

/// A failure of a test, and the line of the test that it belongs to.
struct Failure: Sendable {
  /// A sentence that says what is wrong and how to mend it.
  let message: String
  let file: StaticString
  let line: UInt
  /// The same for Swift Testing, if that has told it.
  var location: TestLocation?
}

/// Takes failures in place of the test.
///
/// A class, because the release optimiser of Swift 6.3 leaves out the type of a task-local closure, which the runtime needs.
final class FailureCollector: Sendable {
  let collect: @Sendable (Failure) -> Void

  init(_ collect: @escaping @Sendable (Failure) -> Void) {
    self.collect = collect
  }
}

/// A line of a test, or of a fake, that failures point at.
@usableFromInline
struct TestLine: Sendable, Equatable, CustomStringConvertible {
  let file: StaticString
  let line: UInt

  init(_ file: StaticString, _ line: UInt) {
    self.file = file
    self.line = line
  }

  /// The name of the file, and the line.
  @usableFromInline var description: String {
    "\("\(file)".split(separator: "/").last ?? ""):\(line)"
  }

  @usableFromInline
  static func == (left: Self, right: Self) -> Bool {
    left.description == right.description
  }
}
