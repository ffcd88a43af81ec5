import Foundation
import Millrace
import MillraceCommand
import MillraceFlags
import MillraceJournal
import MillraceRecording
import MillraceSignals

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
    let options = Options.flags.parseOrExit { parsed throws(FlagError) in try Options(parsed) }
    guard isOutputOpen else {
      await complain(String(cString: strerror(EBADF)))
      exit(EX_IOERR)
    }
    if let shortage = OpenFiles.raised()?.shortage(for: options.plan) {
      try? await DescriptorOutput(descriptor: STDERR_FILENO).write(shortage + "\n")
    }
    let terminal = Terminal(descriptor: STDOUT_FILENO, environment: ProcessInfo.processInfo.environment)
    let isLive = terminal != nil && !options.isJSON && !options.plan.isOnce
    let stop = StopRequest()
    let clock = ContinuousClock()
    // A line between those of a live table would break it, and the table shows what the line would say.
    let complains = !isLive || isatty(STDERR_FILENO) == 0
    let journal = await journal(options)
    let (failures, failed) = AsyncStream.makeStream(of: RecordingError.self)
    let report: @Sendable (RecordingError) -> Void = { error in
      if complains { writeToStandardError(line: error.description) }
      failed.yield(error)
    }
    let recorder = await PulseRecorder.openOrExit(options.recording, command: "pulse", report: report) { file, report in
      PulseRecorder(options.plan, to: file, clock: clock, report: report)
    }
    let gateways = monitor(options.plan, clock)
    let monitor = recorder.map { gateways.taped($0.tape) } ?? gateways
    let service = MonitoringService(
      options.plan,
      store: await store(options.plan, monitor, journal, recorder, clock),
      monitor: monitor,
      reporter: Reporter(
        output: DescriptorOutput.standard,
        presentation: presentation(options, terminal),
        isFinalOnly: options.plan.isOnce,
        pace: isLive ? pace : min(pace, options.plan.interval / 2),
        clock: clock),
      complaints: DescriptorOutput(descriptor: STDERR_FILENO),
      stop: stop,
      clock: clock,
      recorder: recorder)
    let showing = Task { await service.show(failures) }
    let signals = Signals(
      stop: stop, reload: { service.reload(complains: complains) }, farewell: isLive ? Control.showCursor : "")
    let code = await run(service)
    showing.cancel()
    withExtendedLifetime(signals) {}
    await journal?.close()
    exit(code)
  }

  /// The journal that was asked for; ends the process where that cannot be used.
  private static func journal(_ options: Options) async -> (any Journal)? {
    #if SQLite
      guard let path = options.journal else { return nil }
      do {
        return try await JournalFile(path).open()
      } catch {
        await refuse(error)
      }
    #else
      return nil
    #endif
  }

  /// A store on its journal, if there is one; ends the process where the log cannot be used.
  private static func store(
    _ plan: MonitoringService.Plan, _ monitor: PulseMonitor, _ journal: (any Journal)?, _ recorder: PulseRecorder?,
    _ clock: ContinuousClock
  ) async -> Store<PulseMonitor> {
    let configuration = configuration(clock)
    guard let journal else {
      return Store(
        initial: plan.initialState, interactor: monitor, configuration: configuration,
        interceptors: recorder.map { [$0] } ?? [])
    }
    let reading = JournalReading(clock, say: StandardError.writeLine)
    do {
      return try await plan.open(
        monitor, on: journal, configuration: configuration, recorder: recorder, now: Date()
      ) { reading.show($0.sequence.number, of: $0.last.number) }
    } catch {
      await refuse(error)
    }
  }

  private static func refuse(_ failure: any Error) async -> Never {
    await say("pulse does not start without its journal. \(failure)\n")
    exit(EX_CANTCREAT)
  }

  /// A store that says on standard error what it must, which is nothing as long as pulse works.
  ///
  /// An answer that comes at the instant at which its attempt is given up is late, and no mistake.
  private static func configuration(_ clock: ContinuousClock) -> StoreConfiguration {
    var configuration = StoreConfiguration(clock: clock)
    let report = configuration.report
    configuration.report = { if $0.kind != .lateEmit { report($0) } }
    return configuration
  }

  /// The interactor, with the gateways to the world.
  private static func monitor(_ plan: MonitoringService.Plan, _ clock: ContinuousClock) -> PulseMonitor {
    let limits = PulseMonitor.Limits(interval: plan.interval)
    return PulseMonitor(
      machine: ProcMachineGateway(),
      endpoints: LiveEndpointGateway(limit: limits.probe),
      webhooks: ConfiguredWebhooks(
        webhooks: Set(plan.webhooks), gateway: LiveWebhookGateway(host: hostName, limit: limits.post)),
      rules: plan.rulesFile,
      stopwatch: Stopwatch(clock),
      limits: limits)
  }

  /// The name of this machine, as the kernel knows it.
  private static var hostName: String {
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

  /// Runs the service, and gives the exit code.
  private static func run(_ service: MonitoringService) async -> Int32 {
    do {
      try await service.run()
      return EXIT_SUCCESS
    } catch OutputError.failed(let reason) {
      await complain(reason)
      return EX_IOERR
    } catch let failure as JournalError {
      await say("pulse ends, because its journal has failed. \(failure)\n")
      return EX_IOERR
    } catch {
      // A closed output is a way to end pulse, not a failure.
      return EXIT_SUCCESS
    }
  }

  /// Says on standard error why nothing can be written; where that fails too, no reader is left.
  private static func complain(_ reason: String) async {
    await say("pulse cannot write to standard output: \(reason); give it a place that can be written to.\n")
  }

  private static func say(_ sentence: String) async {
    try? await DescriptorOutput(descriptor: STDERR_FILENO).write(sentence)
  }
}
