import Dispatch
import Foundation
import Millrace
import MillraceCommand
import MillraceFlags
import MillraceRecording
import MillraceSocket

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The command `mirror`.
@main
struct MirrorCommand {
  static func main() async {
    signal(SIGPIPE, SIG_IGN)
    let arguments = CommandLine.arguments.dropFirst()
    if arguments.first == "recording" {
      MillraceCommand.main(Mirror.self, command: "mirror recording", arguments: Array(arguments.dropFirst()))
    }
    let (options, upstream, listener) = Options.flags.parseOrExit { parsed throws(FlagError) in
      let options = try Options(parsed)
      return (options, try HTTPUpstream(options, now: now), try options.listener())
    }
    let recorder = await recorder(options)
    let store = Store(
      initial: options.initialState,
      interactor: Mirror(
        upstream: recorder.map { TapedUpstream(upstream: upstream, tape: $0.tape) } ?? upstream, limits: options.limits),
      configuration: StoreConfiguration(limits: options.store), interceptors: recorder.map { [$0] } ?? [])
    let service = MirrorService(store: store, now: now)
    let signals = await StopSignals()
    let bounds = LineBounds(largest: options.limits.artifact)
    let server = LineServer(listener, bounds: bounds) { await service.answer($0, body: $1) }
    StandardError.writeLine("mirror listens on 127.0.0.1:\(listener.port)")
    let showing = Task {
      guard options.showsStatus else { return }
      for await status in store.values(of: \.status) { StandardError.writeLine(status) }
    }

    // snippet.life-process
    await signals.wait()
    StandardError.writeLine("mirror stops")
    server.stop()
    let report = await store.shutdown(drainFor: options.drain)
    await server.finished()
    await showing.value
    _ = await recorder?.finish(with: store.snapshot)
    StandardError.writeLine("mirror stopped: \(report)")
    // snippet.end
    withExtendedLifetime(signals) {}
    exit(report.isClean ? EXIT_SUCCESS : EXIT_FAILURE)
  }

  /// The time since 1970.
  @Sendable
  private static func now() -> Duration { .milliseconds(Int64(Date().timeIntervalSince1970 * 1_000)) }

  /// A recorder whose file is open; ends the process where the recording that was asked for cannot be written.
  private static func recorder(_ options: Options) async -> MirrorRecorder? {
    guard let path = options.recording else { return nil }
    let isOpen = Lock(false)
    let recorder = MirrorRecorder(
      initial: options.initialState, to: URL(filePath: path), redaction: .withoutContents,
      report: { error in if isOpen.withLock({ $0 }) { StandardError.writeLine(error.description) } })
    do throws(RecordingError) {
      try await recorder.waitUntilOpen()
    } catch {
      StandardError.writeLine("mirror does not start without its recording. \(error)")
      exit(EX_CANTCREAT)
    }
    isOpen.withLock { $0 = true }
    return recorder
  }
}

/// The signals that end the service: the first SIGTERM or SIGINT in order, a second one at once.
private struct StopSignals {
  private let sources: [any DispatchSourceSignal]
  private let stream: AsyncStream<Never>

  /// Returns when the signals are watched.
  init() async {
    let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
    let isStopping = Lock(false)
    var sources: [any DispatchSourceSignal] = []
    for number in [SIGTERM, SIGINT] {
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        let isSecond = isStopping.withLock { isStopping in
          defer { isStopping = true }
          return isStopping
        }
        if isSecond { _exit(128 + number) }
        continuation.finish()
      }
      await withCheckedContinuation { registered in
        source.setRegistrationHandler { registered.resume() }
        source.activate()
      }
      sources.append(source)
    }
    (self.sources, self.stream) = (sources, stream)
  }

  /// Waits for the first signal.
  func wait() async {
    for await _ in stream {}
  }
}
