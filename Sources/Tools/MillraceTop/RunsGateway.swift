import Foundation
package import MillraceHTTP
package import MillraceInspector

/// The open runs of a process.
package protocol RunsGateway: Sendable {
  /// - Throws: ``RunsFailure`` when there is no list; `CancellationError`.
  func runs() async throws -> RunsDocument
}

/// The reason for which there is no list of runs, as a sentence with the fix.
package struct RunsFailure: Error, Sendable, Equatable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}

/// The page `/runs` of an inspector.
package struct InspectorRuns: RunsGateway {
  /// The longest that a list is waited for.
  private static let limit: Duration = .seconds(15)

  /// The most bytes that a list may have: 10,000 runs of more than a kilobyte.
  private static let bodyLimit = 1 << 24

  private let server: TransferServer
  private let url: TransferURL
  private let path: String
  private let fields: [String]

  /// Looks up the host once, which may block.
  ///
  /// - Parameters:
  ///   - count: the most runs of a list.
  ///   - token: the token of the inspector; nil without one.
  /// - Throws: `TransferFailure`, when the host is not known.
  package init(
    at url: TransferURL, count: Int, token: String?, issuers: TrustedIssuers?
  ) throws(TransferFailure) {
    server = try TransferServer(
      url, agent: "millrace-top", issuers: issuers, connections: 1, limit: Self.limit, bodyLimit: Self.bodyLimit)
    self.url = url
    path = "runs?limit=\(count)"
    fields = token.map { ["Authorization: Bearer \($0)"] } ?? []
  }

  package func runs() async throws -> RunsDocument {
    let answer: TransferLoop.Answer
    do {
      answer = try await server.answer(to: path, fields: fields)
    } catch let failure as TransferFailure {
      throw RunsFailure("\(url.text) does not answer: \(failure.description).")
    }
    switch answer.status {
    case 200: break
    case 401:
      throw RunsFailure(
        "\(url.text) shows its runs to those alone who have its token; name the file of that by --token-file FILE.")
    case 503: throw RunsFailure("\(url.text) did not list its runs in time; it answers with the status 503.")
    default:
      throw RunsFailure(
        "\(url.text) has no page of runs, and answers with the status \(answer.status); give the address of an inspector."
      )
    }
    do {
      return try JSONDecoder().decode(RunsDocument.self, from: answer.body)
    } catch {
      throw RunsFailure(
        "\(url.text) answers with no list of runs that this version of millrace can read; give the address of an "
          + "inspector of the same version.")
    }
  }
}
