import Foundation
import Millrace
import MillraceFlags
import MillraceHTTP

/// An upstream that is asked by HTTP: a GET fetches, a POST publishes.
struct HTTPUpstream: Upstream {
  private let loop = TransferLoop(agent: "mirror")
  private let base: String
  /// The addresses of the host; empty where the host is an address itself.
  private let addresses: [String]
  private let attemptTimeout: Duration
  private let largest: Int
  private let keep: Duration
  private let now: @Sendable () -> Duration

  /// Looks up the host of the upstream, which may block.
  ///
  /// - Throws: `FlagError`, where the host is not known.
  init(_ options: Options, now: @escaping @Sendable () -> Duration) throws(FlagError) {
    base = options.upstream.text.hasSuffix("/") ? options.upstream.text : options.upstream.text + "/"
    addresses = try Self.addresses(of: options.upstream.bareHost)
    attemptTimeout = options.limits.attemptTimeout
    largest = options.limits.artifact
    keep = options.keep
    self.now = now
    loop.keep(connections: options.store.runsInFlight)
  }

  func fetch(_ path: String) async throws -> Artifact {
    let answer = try await answer(path)
    switch answer.status {
    case 200..<300: return Artifact(answer.body, until: now() + keep)
    case 404, 410: return Artifact(nil, until: now() + keep)
    default: throw UpstreamFailure(status: answer.status)
    }
  }

  func publish(_ bytes: Data, as path: String, idempotencyKey: String) async throws -> Artifact {
    let fields = ["Idempotency-Key: \(idempotencyKey)", "Content-Type: application/octet-stream"]
    let answer = try await answer(path, fields: fields, body: bytes)
    guard 200..<300 ~= answer.status else { throw UpstreamFailure(status: answer.status) }
    return Artifact(bytes, until: now() + keep)
  }

  private func answer(_ path: String, fields: [String] = [], body: Data? = nil) async throws -> TransferLoop.Answer {
    guard let url = TransferURL(base + path) else {
      throw UpstreamFailure(description: "\(path) makes no URL that can be asked", isLasting: true)
    }
    do {
      let answer = try await loop.answer(
        to: TransferLoop.Request(
          url: url, addresses: addresses, fields: fields, body: body, limit: attemptTimeout,
          bodyLimit: largest, keepsBody: body == nil))
      guard !answer.isCut || body != nil else {
        throw UpstreamFailure(description: "it has more than \(largest) bytes", isLasting: true)
      }
      return answer
    } catch let failure as TransferFailure {
      throw UpstreamFailure(description: failure.description, isLasting: failure.isLasting)
    }
  }

  private static func addresses(of host: String) throws(FlagError) -> [String] {
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, nil, nil, &list) == 0, let list else {
      throw FlagError("--upstream has the host \(FlagError.quoted(host)), which is not known; name another one.")
    }
    defer { freeaddrinfo(list) }
    let addresses = sequence(first: list, next: { $0.pointee.ai_next }).map { node in
      var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
      let (place, size) = (node.pointee.ai_addr, node.pointee.ai_addrlen)
      getnameinfo(place, size, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
      return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
    // A list has each address once for each type of socket; libcurl takes none with a zone.
    var seen: Set<String> = [host]
    return addresses.filter { !$0.contains("%") && seen.insert($0).inserted }
  }
}

extension UpstreamFailure {
  /// An answer with a status that stands for a failure; a fault of the server, or of the moment, passes.
  fileprivate init(status: Int) {
    self.init(
      description: "the upstream answered with the status \(status)",
      isLasting: status < 500 && ![408, 425, 429].contains(status))
  }
}
