import Foundation
import Millrace
import MillraceCommand
import MillraceFlags
import MillraceJournal
import MillraceRecording
import MillraceTerminal

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The command `pulse`.
@main
struct PulseCommand {
  /// Rounds become one line each when what they change comes within this time, and a table is drawn no more often.
  private static let pace: Duration = .milliseconds(50)

  static func main() async {
    // Before anything else is opened, for that would take the place of a standard output that is closed.
    let isOutputOpen = fcntl(STDOUT_FILENO, F_GETFD) >= 0
    let arguments = CommandLine.arguments.dropFirst()
    if arguments.first == "recording" {
      MillraceCommand.main(PulseMonitor.self, command: "pulse recording", arguments: Array(arguments.dropFirst()))
    }
    if arguments.first == "journal" {
      await MillraceCommand.main(
        PulseMonitor.self, initial: PulseState(), redaction: .withoutSecrets, command: "pulse",
        arguments: Array(arguments))
    }
    if arguments.first == "cluster" { await ClusterCommand.main(Array(arguments.dropFirst())) }
    let (options, files) = Options.flags.parseOrExit { parsed throws(FlagError) in
      (try Options(parsed), try OpenFiles.raised(for: "pulse"))
    }
    guard isOutputOpen else {
      await complain(String(cString: strerror(EBADF)))
      exit(EX_IOERR)
    }
    if let shortage = files.shortage(for: options.plan) {
      await say(shortage)
    }
    let terminal = Terminal(descriptor: STDOUT_FILENO, environment: ProcessInfo.processInfo.environment)
    let isLive = terminal != nil && !options.isJSON && !options.plan.isOnce
    let stop = StopRequest()
    let clock = ContinuousClock()
    // A line between those of a live table would break it, and the table shows what the line would say.
    let complains = !isLive || isatty(STDERR_FILENO) == 0
    let (farewell, welcome) = (isLive ? Control.showCursor : "", Control.hideCursor + Control.clearScreen)
    let reporter = Reporter(
      output: DescriptorOutput.standard, presentation: presentation(options, terminal),
      isFinalOnly: options.plan.isOnce,
      pace: isLive ? pace : min(pace, options.plan.interval / 2), clock: clock)
    let inspection = await inspection(options)
    if let cluster = options.cluster {
      let code = await watch(
        in: cluster, options, reporter, stop, complains: complains, inspection, farewell: farewell, welcome: welcome)
      await inspection.close()
      exit(code)
    }
    let journal = await journal(options)
    let (failures, failed) = AsyncStream.makeStream(of: RecordingError.self)
    let report: @Sendable (RecordingError) -> Void = { error in
      if complains { writeToStandardError(line: error.description) }
      failed.yield(error)
    }
    let recorder = await PulseRecorder.openOrExit(options.recording, command: "pulse", report: report) { file, report in
      PulseRecorder(options.plan, to: file, clock: clock, report: report)
    }
    let gateways = monitor(options, clock)
    let monitor = recorder.map { gateways.taped($0.tape) } ?? gateways
    let store = await store(options, monitor, journal, recorder, clock, inspection)
    let service = MonitoringService(
      options.plan,
      store: store,
      monitor: monitor,
      reporter: reporter,
      complaints: DescriptorOutput(descriptor: STDERR_FILENO),
      stop: stop,
      clock: clock,
      recorder: recorder,
      willStop: inspection.willStop)
    let showing = Task { await service.show(failures) }
    let signals = Signals(
      stop: stop, limit: MonitoringService.drain + .seconds(5),
      reload: {
        inspection.reload(isDone: false)
        service.reload(complains: complains) { inspection.reload(isDone: true) }
      }, farewell: farewell, welcome: welcome)
    // Signals are handled by now.
    inspection.show(store)
    let code = await run(service)
    showing.cancel()
    withExtendedLifetime(signals) {}
    await journal?.close()
    await inspection.close()
    exit(code)
  }

  /// The views for operators; ends the process where their port cannot be used.
  private static func inspection(_ options: Options) async -> Inspection {
    do {
      let inspection = try Inspection(port: options.inspectorPort)
      if options.inspectorPort == 0, let port = inspection.port {
        await say("pulse shows health, metrics and runs at http://127.0.0.1:\(port).")
      }
      return inspection
    } catch {
      await say("pulse does not start without its inspector. \(error)")
      exit(EX_UNAVAILABLE)
    }
  }

  /// The journal that was asked for; ends the process where that cannot be used.
  private static func journal(_ options: Options) async -> (any Journal)? {
    #if SQLite
      guard let path = options.journal else { return nil }
      do {
        return try await JournalFile(path).open()
      } catch {
        await refuse("pulse does not start without its journal. \(error)")
      }
    #else
      return nil
    #endif
  }

  /// A store on its journal, if there is one; ends the process where the log cannot be used.
  private static func store(
    _ options: Options, _ monitor: PulseMonitor, _ journal: (any Journal)?, _ recorder: PulseRecorder?,
    _ clock: ContinuousClock, _ inspection: Inspection
  ) async -> Store<PulseMonitor> {
    let (plan, configuration) = (options.plan, configuration(clock))
    guard let journal else {
      return Store(
        initial: plan.initialState, interactor: monitor, configuration: configuration,
        interceptors: recorder.map { [$0] } ?? [])
    }
    let reading = JournalReading(clock, say: StandardError.writeLine)
    inspection.opening()
    do {
      return try await plan.open(
        monitor, on: journal, configuration: configuration, recorder: recorder, now: Date()
      ) {
        reading.show($0.sequence.number, of: $0.last.number)
        inspection.opening($0.sequence.number, of: $0.last.number)
      }
    } catch {
      // An error about the log says neither its file nor a way to start without it.
      let quoted = FlagError.quoted(options.journal ?? "")
      await refuse(
        "pulse does not start without its journal \(quoted). \(error) The file is left as it is; name another one to begin anew."
      )
    }
  }

  static func refuse(_ sentence: String) async -> Never {
    await say(sentence)
    exit(EX_CANTCREAT)
  }

  /// A store that says on standard error what it must, which is nothing as long as pulse works.
  ///
  /// An answer that comes at the instant at which its attempt is given up is late, and no mistake.
  static func configuration(_ clock: ContinuousClock) -> StoreConfiguration {
    var configuration = StoreConfiguration(clock: clock)
    let report = configuration.report
    configuration.report = { if $0.kind != .lateEmit { report($0) } }
    return configuration
  }

  /// The interactor, with the gateways to the world.
  static func monitor(_ options: Options, _ clock: ContinuousClock) -> PulseMonitor {
    let plan = options.plan
    let limits = PulseMonitor.Limits(interval: plan.interval)
    return PulseMonitor(
      machine: ProcMachineGateway(),
      endpoints: LiveEndpointGateway(limit: limits.probe - limits.grace, issuers: options.issuers),
      webhooks: LiveWebhookGateway(host: hostName, limit: limits.post, issuers: options.issuers),
      rules: plan.files,
      stopwatch: Stopwatch(clock),
      limits: limits)
  }

  /// The name of this machine, as the kernel knows it.
  static var hostName: String {
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0 else { return "" }
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The form that suits the output: JSON when asked for, a table on a terminal, lines otherwise.
  private static func presentation(_ options: Options, _ terminal: Terminal?) -> any Presentation {
    if options.isJSON { return JSONPresentation() }
    guard let terminal else { return LinePresentation() }
    return TablePresentation(terminal: terminal, isLive: !options.plan.isOnce)
  }

  /// The exit code of a single round in which a target is down or an alert fires.
  static let badExitCode: Int32 = 2

  /// Runs the service, and gives the exit code.
  private static func run(_ service: MonitoringService) async -> Int32 {
    do {
      let code = try await code { try await service.run() }
      let isBad = await service.store.state.isBad
      return service.plan.isOnce && isBad && code == EXIT_SUCCESS ? badExitCode : code
    } catch {
      await say("pulse ends, because its journal has failed. \(error)")
      return EX_IOERR
    }
  }

  /// Runs a service, and gives the exit code for the end of its output.
  ///
  /// - Throws: the error of another end.
  static func code(of run: () async throws -> Void) async throws -> Int32 {
    do {
      try await run()
    } catch OutputError.failed(let reason) {
      await complain(reason)
      return EX_IOERR
    } catch is OutputError {
      // A closed output is a way to end pulse, not a failure.
    }
    return EXIT_SUCCESS
  }

  /// Writes to standard error why standard output cannot be written; where that fails too, no reader is left.
  static func complain(_ reason: String) async {
    await say("pulse cannot write to standard output: \(reason); give it a place that can be written to.")
  }

  /// Writes a sentence to standard error, on a thread of its own; characters that steer a terminal are written as escapes.
  static func say(_ sentence: String) async {
    try? await DescriptorOutput(descriptor: STDERR_FILENO).write(sentence.shownOnTerminal() + "\n")
  }
}

extension OpenFiles {
  /// The limit that a plan needs at its busiest: for each URL a look-up and two connections.
  static func needed(for plan: MonitoringService.Plan) -> Int {
    limit(connections: own + 2 * (plan.endpoints.count + plan.webhooks.count))
  }

  /// The sentence to say when the limit is too low for a plan; nil when it is not.
  func shortage(for plan: MonitoringService.Plan) -> String? {
    let needed = Self.needed(for: plan)
    guard limit < needed else { return nil }
    return
      "pulse may open \(limit) files and needs up to \(needed) for \(plan.endpoints.count + plan.webhooks.count) URLs, "
      + "so that some may be shown as down; raise the limit (ulimit -Hn \(needed)) or give it fewer URLs."
  }
}
