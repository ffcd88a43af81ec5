import Foundation
import MillraceEntries
import MillraceFlags

/// A JSON file with targets and webhooks, whose secrets then stand in no list of processes:
/// `{"targets": ["http://localhost:8080"], "webhooks": ["https://chat.example/secret"]}`.
struct TargetsFile: Sendable, Equatable {
  /// The URLs of the file; a list that is left out is empty.
  struct Contents: Sendable, Equatable {
    var endpoints: [Endpoint] = []
    var webhooks: [Webhook] = []
  }

  let path: String

  /// The shape of the file, for error messages.
  static let example = #"{"targets": ["http://localhost:8080"], "webhooks": ["http://localhost:9000/alerts"]}"#

  private struct Document: Decodable {
    var targets: [Entry]?
    var webhooks: [Entry]?

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      try container.refuseMembers(but: TargetsFile.members(at: container.codingPath))
      targets = try container.decodeIfPresent([Entry].self, forKey: Key("targets"))
      webhooks = try container.decodeIfPresent([Entry].self, forKey: Key("webhooks"))
    }
  }

  /// A URL, with times of its own or without.
  private struct Entry: Decodable {
    var url: String
    var interval: Duration?
    var limit: Duration?

    init(from decoder: any Decoder) throws {
      if let url = try? decoder.singleValueContainer().decode(String.self) {
        self.url = url
        return
      }
      let container = try decoder.container(keyedBy: Key.self)
      try container.refuseMembers(but: TargetsFile.members(at: container.codingPath))
      url = try container.decode(String.self, forKey: Key("url"))
      interval = try container.seconds("every")
      limit = try container.seconds("limit")
    }
  }

  fileprivate struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ word: String) { stringValue = word }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
  }

  /// Reads the file; this may block.
  ///
  /// - Parameter limit: the longest time for writing to a pipe; nil waits without a limit.
  /// - Throws: `FlagError`, naming the file, what is wrong with it and the fix, without what may be a secret.
  func load(within limit: Duration? = nil) throws(FlagError) -> Contents {
    let data: Data
    do throws(FileReader.Failure) {
      data = try FileReader(path: path, limit: limit).contents()
    } catch {
      throw failure("which \(error.reason); name a file such as \(Self.example)")
    }
    guard !data.isEmpty else {
      throw failure("which is empty, as a pipe is that was read before; name a file such as \(Self.example)")
    }
    let document: Document
    do {
      document = try JSON.decoder().decode(Document.self, from: data)
    } catch {
      throw failure(Self.problem(of: error))
    }
    return Contents(
      endpoints: try read(document.targets, "target", upTo: .path) { entry throws(EndpointError) in
        var endpoint = try Endpoint(entry.url)
        (endpoint.interval, endpoint.limit) = (entry.interval, entry.limit)
        return endpoint
      },
      webhooks: try read(document.webhooks, "webhook", upTo: .host) { entry throws(EndpointError) in
        var webhook = try Webhook(entry.url)
        webhook.limit = entry.limit
        return webhook
      })
  }

  private func read<Value>(
    _ entries: [Entry]?, _ word: String, upTo extent: RedactedURL.Extent,
    _ read: (Entry) throws(EndpointError) -> Value
  ) throws(FlagError) -> [Value] {
    var values: [Value] = []
    for (number, entry) in (entries ?? []).enumerated() {
      do throws(EndpointError) {
        values.append(try read(entry))
      } catch {
        let shown = FlagError.quoted(RedactedURL.broken(entry.url, upTo: extent))
        throw failure(
          "whose \(word) \(number + 1), \(shown), is not \(error.needs); write for example \(error.example)")
      }
    }
    return values
  }

  private func failure(_ problem: String) -> FlagError {
    FlagError("--targets was given \(FlagError.quoted(path)), \(problem).")
  }
}

extension KeyedDecodingContainer<TargetsFile.Key> {
  /// Refuses other members than these, which are misspelled or not known.
  fileprivate func refuseMembers(but names: [String]) throws {
    for key in allKeys where !names.contains(key.stringValue) {
      throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: "")
    }
  }

  /// A number of seconds; nil where it is left out.
  fileprivate func seconds(_ name: String) throws -> Duration? {
    let key = TargetsFile.Key(name)
    guard let seconds = try decodeIfPresent(Double.self, forKey: key) else { return nil }
    guard TargetsFile.seconds.contains(seconds) else {
      throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: "")
    }
    return .nanoseconds(Int64((seconds * 1_000_000_000).rounded()))
  }
}

extension TargetsFile {
  /// The numbers of seconds that a time may have: from a nanosecond to about 31 years.
  static let seconds = 1e-9...1e9

  /// The members of the object at a path.
  static func members(at path: [any CodingKey]) -> [String] {
    switch path.first?.stringValue {
    case nil: ["targets", "webhooks"]
    case "webhooks": ["url", "limit"]
    default: ["url", "every", "limit"]
    }
  }

  /// The problem of a file that cannot be decoded, as the end of a sentence that names the file.
  ///
  /// It names the part, and shows no value, which may be a secret.
  static func problem(of error: any Error) -> String {
    switch error {
    case DecodingError.dataCorrupted(let context):
      if let mistake = context.underlyingError as? JSONMistake { return mistake.problemOfFile }
      return problem(at: context.codingPath)
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
      return problem(at: context.codingPath)
    case DecodingError.keyNotFound(let key, let context):
      let name = FlagError.quoted(key.stringValue)
      return "whose \(part(at: context.codingPath)) has no member \(name); write for example \(entryExample)"
    default:
      return "which cannot be read (\(error)); write for example \(example)"
    }
  }

  private static let entryExample = #"{"url": "http://localhost:8080"}"#

  /// The problem of a part that is not known, or has a wrong value.
  private static func problem(at path: [any CodingKey]) -> String {
    let part = part(at: path)
    if let key = path.last, key.intValue == nil {
      let names = members(at: path.dropLast())
      guard names.contains(key.stringValue) else {
        let fix = key.stringValue == "every" ? "remove it, for only a target has it" : "write \(list(names))"
        return "whose \(part) is not known; \(fix)"
      }
    }
    switch (path.count, path.last?.stringValue) {
    case (0, _): return "whose \(part) is no object; write for example \(example)"
    case (1, _): return "whose \(part) is no list; write for example \(example)"
    case (2, _):
      return "whose \(part) is neither a URL in double quotes nor an object; write for example \(entryExample)"
    case (_, "url"): return "whose \(part) is no URL in double quotes; write for example \(entryExample)"
    default:
      return "whose \(part) is no number of seconds from 0.000000001 to 1000000000; write for example 2.5"
    }
  }

  /// The name of a part, as in "member 'every' of target 1".
  private static func part(at path: [any CodingKey]) -> String {
    let member = path.last.flatMap { $0.intValue == nil ? "member \(FlagError.quoted($0.stringValue))" : nil }
    let entry = path.dropFirst().first?.intValue.map { "\(path[0].stringValue.dropLast()) \($0 + 1)" }
    let name = [member, entry].compactMap(\.self).joined(separator: " of ")
    return name.isEmpty ? "content" : name
  }

  /// Names as in "url, every or limit".
  private static func list(_ names: [String]) -> String {
    names.dropLast().joined(separator: ", ") + " or " + names[names.count - 1]
  }
}

extension JSONMistake {
  /// The mistake as the end of a sentence that names a file.
  var problemOfFile: String {
    position.map { "which is no JSON: \($0) \(problem); \(fix)" } ?? "which \(problem); \(fix)"
  }
}
