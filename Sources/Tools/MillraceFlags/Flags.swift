/// The flags of one command: declared once, parsed, and described by `--help`.
///
/// ```swift
/// let flags = Flags(
///   command: "pulse", summary: "Watches this machine and any URLs.",
///   [
///     .seconds("--every", help: "time between two samples (default 1)"),
///     .texts("--watch", "URL", example: "http://localhost:8080", help: "a target to probe"),
///     .toggle("--json", help: "print compact JSON, one object a line"),
///   ])
/// let every = flags.parseOrExit { parsed in parsed.seconds("--every") ?? .seconds(1) }
/// ```
///
/// A value stands in the next argument or behind an equals sign (`--every 1`, `--every=1`). The next argument is not
/// taken as a value when it begins with two hyphens; such a value is written with the equals sign. `--help`, `-h` and
/// `--version` are always there and need no declaration. Where a command takes several operands, each argument behind `--` is one.
package struct Flags: Sendable {
  /// An argument of a command that is no flag, such as the file it reads.
  package struct Operand: Sendable {
    /// The upper-case word that stands for it in the help text.
    let placeholder: String
    /// A value that is right, for error messages.
    let example: String
    /// A sentence for the help text, or nil.
    let summary: String?
    /// Whether it may be left out.
    let isOptional: Bool
    /// The flag that takes its place, or nil.
    let flag: String?

    /// Declares the argument, which may be `-`; read it with ``ParsedFlags/operands``.
    ///
    /// - Parameters:
    ///   - isOptional: whether it may be left out; only the last argument of a command may.
    ///   - flag: the flag of the command that takes its place: with that flag the argument is not given.
    package init(
      _ placeholder: String, example: String, summary: String? = nil, isOptional: Bool = false,
      replacedBy flag: String? = nil
    ) {
      (self.placeholder, self.example, self.summary) = (placeholder, example, summary)
      (self.isOptional, self.flag) = (isOptional, flag)
    }

    /// The placeholder as the help text writes it.
    var spelling: String { isOptional ? "[\(placeholder)]" : placeholder }
  }

  let command: String
  let summary: String
  /// The arguments that are no flags, in their order.
  let operands: [Operand]
  /// The declared flags, in the order of the help text.
  package let flags: [Flag]
  private let notes: [String]
  private let exitCodes: [ExitCode]

  /// The flags that are always there.
  private static let always = ["--help", "--version"]

  /// Declares the flags of a command; two flags of one name, or one named `--help` or `--version`, are a mistake that traps.
  ///
  /// - Parameters:
  ///   - operand: the one argument that is no flag.
  ///   - operands: the arguments that are no flags, where there are several, in their order.
  ///   - notes: sentences for the help text, each a line behind the flags.
  ///   - exitCodes: the exit codes that the help text lists.
  package init(
    command: String, summary: String, operand: Operand? = nil, operands: [Operand] = [], notes: [String] = [],
    exitCodes: [ExitCode] = [], _ flags: [Flag]
  ) {
    precondition(
      Set(flags.map(\.name)).union(Self.always).count == flags.count + Self.always.count,
      "The flags of \(command) have to differ from one another, from --help and from --version.")
    let operands = (operand.map { [$0] } ?? []) + operands
    precondition(
      operands.dropLast().allSatisfy { !$0.isOptional }, "Only the last argument of \(command) may be left out.")
    precondition(
      operands.allSatisfy { operand in operand.flag.map { flag in flags.contains { $0.name == flag } } ?? true },
      "A flag that takes the place of an argument of \(command) has to be declared.")
    (self.command, self.summary, self.operands, self.flags) = (command, summary, operands, flags)
    (self.notes, self.exitCodes) = (notes, exitCodes)
  }

  /// Reads the arguments, which do not include the name of the command, without printing or ending anything.
  ///
  /// When `--help`, `-h` or `--version` is among them, nothing else is checked and the result has a ``ParsedFlags/help``.
  ///
  /// - Throws: ``FlagError`` for the first argument that is wrong: an unknown flag, a missing value, one that does not
  ///   fit, a flag given twice that is not repeatable, a value for a switch, an argument that is no flag and has no ``Operand``
  ///   declared for it, or the absence of one that is declared.
  package func parse(_ arguments: [String]) throws(FlagError) -> ParsedFlags {
    var parsed = ParsedFlags(of: flags)
    if arguments.contains("--help") || arguments.contains("-h") {
      parsed.help = usage
      return parsed
    }
    if arguments.contains("--version") {
      parsed.help = Version.line(of: command)
      return parsed
    }
    var rest = arguments[...]
    var isBehindFlags = false
    while let argument = rest.popFirst() {
      if operands.count > 1, argument == "--", !isBehindFlags {
        isBehindFlags = true
        continue
      }
      if !operands.isEmpty, isBehindFlags || !argument.hasPrefix("-") || argument == "-" {
        try add(argument, to: &parsed)
        continue
      }
      let (flag, attached) = try flag(in: argument)
      if !flag.isRepeatable && parsed.wasGiven(flag.name) {
        throw FlagError("\(flag.name) was given twice, but may be given once; leave one of the two out.")
      }
      if flag.kind == .toggle, attached == nil {
        parsed.add("", to: flag)
        continue
      }
      guard let value = attached ?? (rest.first?.hasPrefix("--") == false ? rest.popFirst() : nil) else {
        throw FlagError(
          "\(flag.name) needs a value, but none follows it; write for example \(flag.name) \(flag.example).")
      }
      try flag.check(value)
      parsed.add(value, to: flag)
    }
    try checkOperands(of: parsed)
    return parsed
  }

  /// Checks that no argument is missing, and that none is given whose place a flag takes.
  private func checkOperands(of parsed: ParsedFlags) throws(FlagError) {
    let replaced = operands.indices.filter { operands[$0].flag.map(parsed.wasGiven) ?? false }
    let taken = operands.indices.filter { !replaced.contains($0) }.map { operands[$0] }
    if let index = replaced.first, let flag = operands[index].flag, parsed.operands.count > taken.count {
      throw FlagError(
        "\(command) takes no \(operands[index].placeholder) with \(flag), but was given \(Self.shown(parsed.operands[index])) too; "
          + "leave one of the two out.")
    }
    if let missing = taken.dropFirst(parsed.operands.count).first, !missing.isOptional {
      throw isMissing(missing, given: "none", among: taken)
    }
  }

  /// An argument in quotes; with a URL, everything behind its host may be a secret.
  private static func shown(_ argument: String) -> String {
    FlagError.quoted(RedactedURL.text(argument, upTo: .host))
  }

  /// Adds an argument that is no flag.
  private func add(_ argument: String, to parsed: inout ParsedFlags) throws(FlagError) {
    guard let operand = operands.dropFirst(parsed.operands.count).first else {
      let takes =
        operands.count == 1 ? "one \(operands[0].placeholder)" : operands.map(\.spelling).joined(separator: " ")
      throw FlagError(
        "\(command) takes \(takes), but was given \(Self.shown(argument)) too; "
          + "leave one of the \(operands.count == 1 ? "two" : "\(operands.count + 1)") out.")
    }
    guard !argument.isEmpty else { throw isMissing(operand, given: "''", among: operands) }
    parsed.operands.append(argument)
  }

  private func isMissing(_ operand: Operand, given: String, among taken: [Operand]) -> FlagError {
    let example = taken.map(\.example).joined(separator: " ")
    let article = operand.placeholder.first.map("AEIO".contains) == true ? "an" : "a"
    return FlagError(
      "\(command) needs \(article) \(operand.placeholder), but was given \(given); write for example \(command) \(example)."
    )
  }

  /// Reads the arguments of this process and makes the options of the command from them, or ends the process: with the text that
  /// was asked for and exit code 0, or with the sentence of the error on standard error and exit code 64.
  ///
  /// `make` is called once, on the caller's thread, when the arguments parsed and no help was asked for; a ``FlagError``
  /// it throws ends the process too.
  package func parseOrExit<Options>(
    _ arguments: [String] = Array(CommandLine.arguments.dropFirst()),
    _ make: (ParsedFlags) throws(FlagError) -> Options
  ) -> Options {
    FlagError.exitIfThrown { () throws(FlagError) in
      let parsed = try parse(arguments)
      parsed.exitIfHelp()
      return try make(parsed)
    }
  }

  /// The flag an argument names and the value behind its equals sign, if there is one.
  private func flag(in argument: String) throws(FlagError) -> (Flag, attached: String?) {
    guard argument.hasPrefix("-"), argument != "-", argument != "--" else {
      let placeholders = operands.map(\.spelling).joined(separator: " ")
      let takes = operands.isEmpty ? "flags" : (operands.count == 1 ? "one " : "") + "\(placeholders) and flags"
      // It may be the value of any flag, and with some of them the path of a URL is a secret too.
      let shown = RedactedURL.text(argument, upTo: .host)
      throw FlagError(
        "\(command) takes \(takes) only, but was given \(FlagError.quoted(shown)); leave it out, "
          + "or see \(command) --help.")
    }
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    guard let flag = flags.first(where: { $0.name == name }) else {
      throw FlagError(unknown: name, kind: "flag", of: command, among: flags.map(\.name) + Self.always)
    }
    return (flag, parts.count == 2 ? String(parts[1]) : nil)
  }

  // MARK: Help

  /// The help text: what the command does, how it is called, a line for each flag, the notes and the exit codes.
  ///
  /// Without a line break at its end. The line of the call is broken at 80 columns.
  package var usage: String {
    let start = "Usage: \(command)"
    var call = [start]
    let words = flags.map { "[\($0.spelling)]" + ($0.isRepeatable ? "..." : "") } + Self.always.map { "[\($0)]" }
    for word in operands.map(\.spelling) + words {
      if call[call.count - 1].count + 1 + word.count > 80, call.count > 1 || call[0] != start {
        call.append(String(repeating: " ", count: start.count))
      }
      call[call.count - 1] += " " + word
    }
    let rows = flags.map { ($0.spelling, $0.isRepeatable ? "\($0.help); may be repeated" : $0.help) }
    let table = Self.table(rows + [("--help", "print this text"), ("--version", "print the version")])
    let notes = operands.compactMap(\.summary) + notes
    let end = (notes.isEmpty ? [] : [""] + notes) + ExitCode.section(exitCodes)
    return ([summary, ""] + call + [""] + table + end).joined(separator: "\n")
  }

  /// Two columns, indented by two blanks; the second one is broken between words at 80 columns, and is at least 30 wide.
  static func table(_ rows: [(String, String)]) -> [String] {
    let width = rows.map(\.0.count).max() ?? 0
    return rows.flatMap { first, second in
      broken(second, at: max(80 - width - 4, 30)).enumerated().map { index, line in
        let name = index == 0 ? first : ""
        return "  " + name + String(repeating: " ", count: width - name.count) + "  " + line
      }
    }
  }

  /// The lines of a text that is broken between words; a word that is longer than a line has one of its own.
  private static func broken(_ text: String, at width: Int) -> [String] {
    var lines = [""]
    for word in text.split(separator: " ") {
      let line = lines[lines.count - 1]
      if line.isEmpty {
        lines[lines.count - 1] = String(word)
      } else if line.count + 1 + word.count <= width {
        lines[lines.count - 1] += " " + word
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }
}

extension Flag {
  /// The flag as the help text writes it, with its placeholder.
  fileprivate var spelling: String {
    placeholder.map { "\(name) \($0)" } ?? name
  }
}
