import Foundation
import Millrace
import MillraceCommand
import MillraceFlags
import MillraceRecording
import MillraceSocket

/// The command `mirror`.
@main
struct MirrorCommand {
  static func main() async {
    let arguments = CommandLine.arguments.dropFirst()
    if arguments.first == "recording" {
      MillraceCommand.main(Mirror.self, command: "mirror recording", arguments: Array(arguments.dropFirst()))
    }
    let (options, upstream, listener) = Options.flags.parseOrExit { parsed throws(FlagError) in
      let options = try Options(parsed, files: OpenFiles.raised(for: "mirror"))
      return (options, try HTTPUpstream(options, now: now), try options.listener())
    }
    if let shortage = options.connections.shortage { StandardError.writeLine(shortage) }
    let recorder = await MirrorRecorder.openOrExit(options.recording, command: "mirror") { file, report in
      MirrorRecorder(initial: options.initialState, to: file, redaction: .withoutContents, report: report)
    }
    let mirror = Mirror(
      upstream: recorder.map { TapedUpstream(upstream: upstream, tape: $0.tape) } ?? upstream, limits: options.limits)
    let store = Store(
      initial: options.initialState, interactor: mirror, configuration: StoreConfiguration(limits: options.store),
      interceptors: recorder.map { [$0] } ?? [])
    let service = MirrorService(store: store, now: now)
    let stop = StopRequest()
    let signals = Signals(stop: stop, limit: options.drain + options.bounds.patience + .seconds(2))
    let server = LineServer(listener, bounds: options.bounds) { await service.answer($0, body: $1) }
    StandardError.writeLine("mirror listens on 127.0.0.1:\(listener.port)")
    let showing = Task {
      guard options.showsStatus else { return }
      for await status in store.values(of: \.status) { StandardError.writeLine(status) }
    }

    // snippet.life-process
    await stop.wait()
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
}
