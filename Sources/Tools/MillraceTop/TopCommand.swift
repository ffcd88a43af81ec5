import Foundation
import Millrace
package import MillraceFlags
import MillraceHTTP
import MillraceInspector
import MillraceTerminal

/// The command `millrace top`.
package enum TopCommand {
  package static var flags: Flags { TopOptions.flags }

  /// Reads the arguments, shows the runs, and ends the process.
  package static func main(_ arguments: [String]) async -> Never {
    let (options, gateway) = TopOptions.flags.parseOrExit(arguments) { parsed throws(FlagError) in
      let options = try TopOptions(parsed)
      do throws(TransferFailure) {
        return (
          options,
          try InspectorRuns(at: options.url, count: options.count, token: options.token, issuers: options.issuers)
        )
      } catch {
        throw FlagError(
          "millrace top was given the host \(FlagError.quoted(options.url.bareHost)), which is not known; name another "
            + "one.")
      }
    }
    let environment = ProcessInfo.processInfo.environment
    let state = TopState(order: options.order, filter: options.filter)
    guard let terminal = Terminal(descriptor: STDOUT_FILENO, environment: environment),
      let keyboard = Keyboard(descriptor: STDIN_FILENO)
    else {
      signal(SIGPIPE, SIG_IGN)
      exit(await list(gateway, state, of: options))
    }
    exit(await watch(gateway, state, of: options, on: terminal, keyboard))
  }

  /// Prints one list.
  private static func list(_ gateway: InspectorRuns, _ state: TopState, of options: TopOptions) async -> Int32 {
    var state = state
    do {
      let document = try await gateway.runs()
      state.document = document
      for name in document.unanswered { StandardError.writeLine("The store \(name) did not answer in time.") }
    } catch {
      StandardError.writeLine("\(error)")
      return EX_UNAVAILABLE
    }
    let rows = TopTable(of: options.url.text, isASCII: false).listing(state)
    return await write(rows.map { $0.text(isColored: false) + "\n" }.joined())
  }

  /// Shows the runs until the person at the terminal or a signal asks for the end.
  private static func watch(
    _ gateway: InspectorRuns, _ state: TopState, of options: TopOptions, on terminal: Terminal, _ keyboard: Keyboard
  ) async -> Int32 {
    let store = Store(initial: state, interactor: Top(gateway, every: options.pause))
    let stop = StopRequest()
    let signals = Signals(
      stop: stop, farewell: Control.showCursor, welcome: Control.hideCursor + Control.clearScreen,
      restore: keyboard.close, resume: keyboard.resume)
    store.send(.watch)
    let pressing = Task {
      for await key in keyboard.keys { store.send(.press(key)) }
      stop.request()
    }
    let stopping = Task {
      await stop.wait()
      await store.shutdown(drainFor: .zero)
    }
    let table = TopTable(of: options.url.text, isASCII: terminal.isASCII)
    var (drawn, code) = (RedrawnTable(), EXIT_SUCCESS)
    for await state in store.values(of: \.self) where code == EXIT_SUCCESS {
      if state.isOver { stop.request() }
      // The shell may have taken the keys while the process was stopped.
      keyboard.takeKeys()
      let size = terminal.size()
      let rows = table.rows(state, atMost: max(size.rows - 1, 1)).map { $0.fitted(to: size.columns, mark: table.mark) }
      code = await write(drawn.text(rows, on: size, isColored: terminal.isColored))
      if code != EXIT_SUCCESS { stop.request() }
    }
    await stopping.value
    pressing.cancel()
    keyboard.close()
    withExtendedLifetime(signals) {}
    _ = await write(drawn.end)
    return code
  }

  /// Writes to standard output, and returns the exit code; a closed output is an end and no failure.
  private static func write(_ text: String) async -> Int32 {
    do {
      try await DescriptorOutput.standard.write(text)
    } catch OutputError.failed(let reason) {
      StandardError.writeLine(
        "millrace top cannot write to standard output: \(reason); give it a place that can be written to.")
      return EX_IOERR
    } catch {
      return EXIT_SUCCESS
    }
    return EXIT_SUCCESS
  }
}
