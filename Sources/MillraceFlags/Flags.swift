#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

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
/// let parsed = flags.parseOrExit()
/// let every = parsed.seconds("--every") ?? .seconds(1)
/// ```
///
/// A value stands in the next argument or behind an equals sign (`--every 1`, `--every=1`). The next argument is not
/// taken as a value when it begins with two hyphens; such a value is written with the equals sign. `--help` and `-h` are
/// always there and need no declaration.
public struct Flags: Sendable {
  /// The name of the command, as the user types it.
  public let command: String
  /// One sentence about what the command does.
  public let summary: String
  /// The declared flags, in the order of the help text.
  public let flags: [Flag]
  /// The one argument that is no flag; nil if the command takes flags only.
  public let operand: Operand?

  /// Declares the flags of a command; two flags of one name, or one named `--help`, are a mistake that traps.
  public init(command: String, summary: String, operand: Operand? = nil, _ flags: [Flag]) {
    precondition(
      Set(flags.map(\.name)).union(["--help"]).count == flags.count + 1,
      "The flags of \(command) have to differ from one another and from --help.")
    self.command = command
    self.summary = summary
    self.flags = flags
    self.operand = operand
  }

  /// Reads the arguments, which do not include the name of the command, without printing or ending anything.
  ///
  /// When `--help` or `-h` is among them, nothing else is checked and the result says ``ParsedFlags/asksForHelp``.
  ///
  /// - Throws: ``FlagError`` for the first argument that is wrong: an unknown flag, a missing value, one that does not
  ///   fit, a flag given twice that is not repeatable, a value for a switch, an argument that is no flag and has no ``Operand``
  ///   declared for it, or its absence.
  public func parse(_ arguments: [String]) throws(FlagError) -> ParsedFlags {
    var parsed = ParsedFlags(of: flags, operand: operand)
    if arguments.contains("--help") || arguments.contains("-h") {
      parsed.asksForHelp = true
      return parsed
    }
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if let operand, !argument.hasPrefix("-") {
        try parsed.take(argument, as: operand, of: command)
        continue
      }
      let (flag, attached) = try flag(in: argument)
      if !flag.isRepeatable && parsed.wasGiven(flag.name) {
        throw FlagError("\(flag.name) was given twice, but may be given once; leave one of the two out.")
      }
      if let attached {
        parsed.add(try .reading(attached, for: flag), to: flag)
      } else if flag.kind == .toggle {
        parsed.add(.on, to: flag)
      } else if let value = rest.first, !value.hasPrefix("--") {
        rest.removeFirst()
        parsed.add(try .reading(value, for: flag), to: flag)
      } else {
        throw FlagError(
          "\(flag.name) needs a value, but none follows it; write for example \(flag.name) \(flag.example).")
      }
    }
    if let operand, !parsed.hasOperand {
      throw FlagError(
        "\(command) needs a \(operand.placeholder), but was given none; write for example \(command) \(operand.example)."
      )
    }
    return parsed
  }

  /// Reads the arguments of this process, or ends it: with the help text and exit code 0, or with the sentence of the
  /// error on standard error and exit code 64.
  public func parseOrExit(_ arguments: [String] = Array(CommandLine.arguments.dropFirst())) -> ParsedFlags {
    parseOrExit(arguments) { parsed in parsed }
  }

  /// Reads the arguments of this process and makes the options of the command from them, or ends the process.
  ///
  /// `make` is called once, on the caller's thread, when the arguments parsed and no help was asked for. A ``FlagError``
  /// it throws ends the process as one of the parser does: the sentence on standard error, exit code 64.
  public func parseOrExit<Options>(
    _ arguments: [String] = Array(CommandLine.arguments.dropFirst()),
    _ make: (ParsedFlags) throws(FlagError) -> Options
  ) -> Options {
    do throws(FlagError) {
      let parsed = try parse(arguments)
      if parsed.asksForHelp {
        print(usage)
        end(EXIT_SUCCESS)
      }
      return try make(parsed)
    } catch {
      exit(with: error)
    }
  }

  /// Ends the process with the sentence of the error on standard error and exit code 64; what was printed is written.
  public func exit(with error: FlagError) -> Never {
    var line = Array((error.message + "\n").utf8)[...]
    while !line.isEmpty {
      let written = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
      guard written > 0 || errno == EINTR else { break }
      line = line.dropFirst(max(written, 0))
    }
    end(EX_USAGE)
  }

  /// Ends the process; the C library writes out what was printed and is still in its buffer.
  private func end(_ code: Int32) -> Never {
    #if canImport(Darwin)
      Darwin.exit(code)
    #elseif canImport(Musl)
      Musl.exit(code)
    #else
      Glibc.exit(code)
    #endif
  }

  /// The flag an argument names and the value behind its equals sign, if there is one.
  private func flag(in argument: String) throws(FlagError) -> (Flag, attached: String?) {
    guard argument.hasPrefix("-"), argument != "-", argument != "--" else {
      let takes = operand.map { "one \($0.placeholder) and flags" } ?? "flags"
      // It may be the value of any flag, and with some of them the path of a URL is a secret too.
      let shown = RedactedURL.text(argument, upTo: .host)
      throw FlagError(
        "\(command) takes \(takes) only, but was given \(FlagError.quoted(shown)); leave it out, "
          + "or see \(command) --help.")
    }
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    if let flag = flags.first(where: { $0.name == name }) {
      return (flag, parts.count == 2 ? String(parts[1]) : nil)
    }
    if let near = NearestName.of(name, among: flags.map(\.name) + ["--help"]) {
      throw FlagError("\(command) has no flag \(FlagError.quoted(name)); did you mean \(near)?")
    }
    throw FlagError("\(command) has no flag \(FlagError.quoted(name)); see \(command) --help for those it has.")
  }
}
