import Millrace

/// The result of the checks of one path, as machines and people read it.
struct HealthReport: Sendable, Equatable {
  struct Line: Sendable, Equatable {
    let name: String
    /// The reason for which the check fails; nil if it holds.
    let failure: String?
    /// More about a check that holds.
    var detail: String?
  }

  let path: String
  let lines: [Line]

  var isHealthy: Bool { lines.allSatisfy { $0.failure == nil } }

  /// The response: 200 or 503, with one line for each check where the client asks for it or a check fails.
  func response(isVerbose: Bool) -> InspectorResponse {
    let lines = lines.map { line in
      let mark = line.failure == nil ? "[+]" : "[-]"
      let rest = (line.failure ?? line.detail).map { ": \($0)" } ?? " ok"
      return "\(mark)\(line.name)\(rest)\n"
    }
    if isHealthy, !isVerbose { return InspectorResponse(200, "ok\n") }
    let end = "\(path) \(isHealthy ? "ok" : "failed")\n"
    return InspectorResponse(isHealthy ? 200 : 503, lines.joined() + end)
  }
}

/// One check of a path.
struct HealthCheck: Sendable {
  let name: String

  /// Returns more about what holds; nil for nothing.
  ///
  /// - Throws: The reason for which the check fails.
  let check: @Sendable () async throws -> String?
}

/// The reason for which a check of the inspector fails.
struct HealthFailure: Error, CustomStringConvertible {
  let description: String
}

/// The calls of one check that have not returned, so that a check that hangs does not keep a task for each request.
final class BoundedCalls: Sendable {
  private static let limit = 64
  private let count = Lock(0)

  /// Calls the check.
  ///
  /// - Throws: The error of the check, or ``HealthFailure`` where too many earlier calls have not returned.
  func perform(_ check: @Sendable () async throws -> Void) async throws {
    let begins = count.withLock { count in
      guard count < Self.limit else { return false }
      count += 1
      return true
    }
    guard begins else { throw HealthFailure(description: "\(Self.limit) earlier calls of it have not returned") }
    defer { count.withLock { $0 -= 1 } }
    try await check()
  }
}

extension [HealthCheck] {
  /// Performs the checks side by side; one that has not returned within the limit fails, and its task is cancelled.
  func report(for path: String, within limit: Duration, _ clock: any Clock<Duration>) async -> HealthReport {
    let lines = await Answers.collect(
      within: limit, clock,
      map { check in
        {
          do {
            return HealthReport.Line(name: check.name, failure: nil, detail: try await check.check())
          } catch {
            return HealthReport.Line(name: check.name, failure: "\(error)")
          }
        }
      })
    return HealthReport(
      path: path,
      lines: zip(self, lines).map { check, line in
        line ?? HealthReport.Line(name: check.name, failure: "no answer within \(limit)")
      })
  }
}
