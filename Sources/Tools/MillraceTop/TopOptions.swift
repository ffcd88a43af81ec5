import Foundation
package import MillraceFlags
package import MillraceHTTP

/// The options of `millrace top`.
package struct TopOptions: Sendable {
  package let url: TransferURL
  /// The time between two lists on a terminal.
  package let pause: Duration
  /// The most runs of a list.
  package let count: Int
  package let order: TopState.Order
  package let filter: String
  package let token: String?
  package let issuers: TrustedIssuers?

  package static let flags = Flags(
    command: "millrace top", summary: "Shows the open runs of a process, the stuck ones first.",
    operand: Flags.Operand(
      "URL", example: "http://127.0.0.1:8080", summary: "URL is the address of the inspector of the process."),
    notes: [
      "On a terminal the list is live: s changes the order, / filters it, Escape ends the",
      "filter, and q quits. Elsewhere one list is printed, and nothing of it is cut.",
      "A run has ! before its age if it is stuck; TRY is its attempt, and +N the number of",
      "processes in a row that it has died with.",
    ],
    exitCodes: [
      ExitCode(0, "the list was shown"), .usage,
      ExitCode(69, "the inspector gives no list, where one list is printed"), .noOutput,
    ],
    [
      .seconds("--every", example: "5", help: "time between two lists on a terminal (default 2)"),
      .integer("--limit", in: 1...10_000, example: "100", help: "the most runs of a list (default 1000)"),
      .text(
        "--order", "ORDER", example: "age", help: "the order at the beginning: \(orders) (default stuck)"),
      .text("--filter", "TEXT", example: "charge", help: "show the runs alone that have this text in a field"),
      .text("--token-file", "FILE", example: "token.txt", help: "the file with the token of the inspector"),
      .trustedIssuers,
    ])

  private static let orders = TopState.Order.allCases.map(\.rawValue).joined(separator: ", ")

  /// Reads the options, and the file of the token.
  package init(_ parsed: ParsedFlags) throws(FlagError) {
    let given = parsed.operand
    do throws(TransferURL.Unreadable) {
      url = try TransferURL(reading: given.contains("://") ? given : "http://" + given)
    } catch {
      throw FlagError(
        "millrace top needs \(error.needs), but was given \(FlagError.quoted(RedactedURL.text(given, upTo: .host))); "
          + "write for example millrace top http://127.0.0.1:8080.")
    }
    pause = parsed.seconds("--every") ?? .seconds(2)
    count = parsed.integer("--limit") ?? 1_000
    let name = parsed.text("--order") ?? TopState.Order.stuck.rawValue
    guard let order = TopState.Order(rawValue: name) else {
      throw FlagError(flag: "--order", needs: "one of \(Self.orders)", given: name, example: "age")
    }
    self.order = order
    filter = parsed.text("--filter") ?? ""
    token = try parsed.text("--token-file").map { path throws(FlagError) in try Self.token(in: path) }
    issuers = try parsed.trustedIssuers()
  }

  private static func token(in path: String) throws(FlagError) -> String {
    let text = (try? String(contentsOfFile: path, encoding: .utf8))?.trimmingCharacters(in: .whitespacesAndNewlines)
    guard let text, !text.isEmpty, !text.contains(where: \.isNewline) else {
      throw FlagError(
        "--token-file was given \(FlagError.quoted(path)), which is no file with a token; name a file with one line.")
    }
    return text
  }
}
