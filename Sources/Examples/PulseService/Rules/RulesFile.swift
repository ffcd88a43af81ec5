import Foundation
import MillraceEntries
import MillraceFlags
import MillraceTerminal

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A JSON file with a list of rules: `["cpu > 90 % for 30 s", "target down for 2 probes"]`.
struct RulesFile: Sendable, Equatable {
  let path: String
  /// The rules that stand before those of the file.
  var otherRules: [AlertRule] = []
  /// The subjects of rules about targets.
  var endpoints: [Endpoint] = []

  /// The shape of the file, for error messages.
  private static let example = #"["cpu > 90 % for 30 s", "target down for 2 probes"]"#

  /// Reads the file, and gives the other rules and those of the file; this may block.
  ///
  /// - Parameter limit: the longest time for writing to a pipe; nil waits without a limit.
  /// - Throws: `FlagError`, naming the file, what is wrong with it and the fix.
  func load(within limit: Duration? = nil) throws(FlagError) -> [AlertRule] {
    do throws(RulesFileError) {
      return otherRules + (try Self.rules(at: path, about: TargetNames(endpoints), within: limit))
    } catch {
      throw FlagError("--rules was given \(FlagError.quoted(path)), \(error).")
    }
  }

  /// Reads the rules of the file at `path`, which may be a pipe.
  ///
  /// - Throws: ``RulesFileError``, when the file cannot be read, is not such a list, or a rule in it is wrong.
  static func rules(
    at path: String, about targets: TargetNames, within limit: Duration? = nil
  ) throws(RulesFileError) -> [AlertRule] {
    let data: Data
    do throws(FileReader.Failure) {
      data = try FileReader(path: path, limit: limit).contents()
    } catch {
      throw RulesFileError("which \(error.reason); name a file with rules such as \(example)")
    }
    guard !data.isEmpty else {
      throw RulesFileError(
        "which is empty, as a pipe is that was read before; name a file with rules such as \(example)")
    }
    return try rules(in: data, about: targets)
  }

  /// Reads the rules of a file with these contents.
  static func rules(in data: Data, about targets: TargetNames) throws(RulesFileError) -> [AlertRule] {
    let texts: [String]
    do {
      texts = try JSON.decoder().decode([String].self, from: data)
    } catch {
      throw RulesFileError(problem(of: error))
    }
    var rules: [AlertRule] = []
    for (number, text) in texts.enumerated() {
      do throws(AlertRuleError) {
        rules.append(try AlertRule(text, about: targets))
      } catch {
        throw RulesFileError("whose rule \(number + 1), \(FlagError.quoted(text)), \(error)")
      }
    }
    return rules
  }

  /// The problem of a file that cannot be decoded, as the end of a sentence that names the file.
  private static func problem(of error: any Error) -> String {
    switch error {
    case DecodingError.dataCorrupted(let context):
      if let mistake = context.underlyingError as? JSONMistake { return mistake.problemOfFile }
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
      guard let index = context.codingPath.first?.intValue else { break }
      return "whose rule \(index + 1) is no text in double quotes; write for example \(example)"
    default: break
    }
    return "which is not a JSON list of texts; write for example \(example)"
  }
}

/// The problem of a rules file, as the end of a sentence that names the file.
struct RulesFileError: Error, Equatable, CustomStringConvertible {
  let description: String

  init(_ problem: String) {
    description = problem
  }
}

/// The files that are read again while the service runs, and the part of the configuration that the command line has.
struct ConfigurationFiles: RulesGateway, Equatable {
  var rulesPath: String?
  var targets: TargetsFile?
  /// The targets and webhooks of the command line, which stand before those of the file.
  var own = TargetsFile.Contents()
  /// The rules of the command line, as they were written.
  var ownRules: [String] = []

  /// The time for which a running service waits for a pipe's writer.
  private static let patience = PulseMonitor.Limits().rules / 2

  var content: String { targets == nil ? "rules" : "targets, webhooks and rules" }

  func read() async throws -> ConfigurationReading {
    try await blockingCall {
      let configuration = try load(within: Self.patience)
      return targets == nil ? .rules(configuration.rules) : .all(configuration)
    }
  }

  /// Reads the files; this may block.
  ///
  /// - Parameter limit: the longest time for writing to each pipe; nil waits without a limit.
  /// - Throws: `FlagError`, naming the file or the flag, what is wrong with it and the fix.
  func load(within limit: Duration? = nil) throws(FlagError) -> Configuration {
    let file = try targets?.load(within: limit) ?? TargetsFile.Contents()
    let endpoints = (own.endpoints + file.endpoints).named
    let names = TargetNames(endpoints)
    var rules: [AlertRule] = []
    for text in ownRules {
      do throws(AlertRuleError) {
        rules.append(try AlertRule(text, about: names))
      } catch {
        throw FlagError("--alert was given \(FlagError.quoted(text)), which \(error).")
      }
    }
    if let rulesPath {
      rules = try RulesFile(path: rulesPath, otherRules: rules, endpoints: endpoints).load(within: limit)
    }
    return Configuration(endpoints: endpoints, rules: rules, webhooks: (own.webhooks + file.webhooks).named)
  }
}

/// Reads a whole file, which may be a pipe; this may block.
struct FileReader {
  /// The path; `-` is standard input.
  let path: String
  /// The longest time for which to wait for a pipe's writer; nil waits without a limit.
  let limit: Duration?

  /// The size of the largest file that is read, in bytes: a device may be endless.
  static let largest = 16 << 20

  /// The reason for which a file cannot be read, as the end of a sentence that names the file.
  struct Failure: Error {
    let reason: String

    init(_ reason: String) {
      self.reason = reason
    }

    fileprivate init(_ number: Int32) {
      switch number {
      case ENOENT: reason = "does not exist"
      case EACCES: reason = "you may not read"
      case EISDIR: reason = "is a folder"
      default: reason = "cannot be read (\(String(cString: strerror(number))))"
      }
    }
  }

  /// Reads the file to its end.
  ///
  /// - Throws: ``Failure``.
  func contents() throws(Failure) -> Data {
    let start = ContinuousClock.now
    // A pipe without a writer would block open(2), and read(2) would take it for one that has ended.
    let descriptor = open(path == "-" ? "/dev/stdin" : path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure(errno) }
    defer { close(descriptor) }
    var data = Data()
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      try waitUntilReadable(descriptor, since: start)
      let count = read(descriptor, &chunk, chunk.count)
      if count == 0 { return data }
      if count < 0 {
        if errno == EINTR || errno == EAGAIN { continue }
        throw Failure(errno)
      }
      data.append(contentsOf: chunk[..<count])
      guard data.count <= Self.largest else { throw Failure("has more than \(Units.bytes(UInt64(Self.largest)))") }
    }
  }

  private func waitUntilReadable(_ descriptor: Int32, since start: ContinuousClock.Instant) throws(Failure) {
    while true {
      var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let rest = limit.map { $0 - start.duration(to: .now) }
      let milliseconds = rest.map { Int32(clamping: Int64(max(0, $0 / .milliseconds(1)).rounded(.up))) } ?? -1
      let ready = poll(&request, 1, milliseconds)
      if ready > 0 { return }
      if ready == 0 { throw Failure("was not written to its end within \(Units.seconds(limit ?? .zero))") }
      guard errno == EINTR else { throw Failure(errno) }
    }
  }
}
