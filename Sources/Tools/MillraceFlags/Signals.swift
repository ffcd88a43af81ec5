import Dispatch

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The signals that end the service, or have it read its rules again; they are taken for as long as this value is kept.
package struct Signals {
  private let sources: [any DispatchSourceSignal]

  /// Takes the signals.
  ///
  /// The first SIGINT or SIGTERM requests the stop; another one ends the process at once, after writing `farewell`. Each
  /// SIGHUP calls `reload`, on a queue of the signals; without it that signal is not taken.
  ///
  /// With a `farewell`, SIGTSTP writes it before the process stops, and `welcome` when the process continues. `restore` is called
  /// wherever `farewell` is written, to give a terminal its modes back, and `resume` where `welcome` is.
  package init(
    stop: StopRequest, reload: (@Sendable () -> Void)? = nil, farewell: String = "", welcome: String = "",
    restore: @escaping @Sendable () -> Void = {}, resume: @escaping @Sendable () -> Void = {}
  ) {
    // A closed output is an error of write(2), not a signal that kills.
    signal(SIGPIPE, SIG_IGN)
    let queue = DispatchQueue(label: "millrace.signals")
    let count = SignalCount()
    let registered = DispatchSemaphore(value: 0)
    let others = (reload == nil ? [] : [SIGHUP]) + (farewell.isEmpty ? [] : [SIGTSTP])
    sources = ([SIGINT, SIGTERM] + others).map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler {
        if number == SIGHUP, let reload { return reload() }
        if number == SIGTSTP {
          Self.writeNow(farewell)
          restore()
          // Returns when the process continues.
          kill(getpid(), SIGSTOP)
          resume()
          return Self.writeNow(welcome)
        }
        count.value += 1
        guard count.value > 1 else { return stop.request() }
        Self.writeNow(farewell)
        restore()
        _exit(128 + number)
      }
      source.setRegistrationHandler { _ = registered.signal() }
      source.resume()
      return source
    }
    // A signal that comes before its source watches would be lost.
    for _ in sources { registered.wait() }
  }

  private static func writeNow(_ text: String) {
    _ = text.withCString { write(STDOUT_FILENO, $0, strlen($0)) }
  }
}

/// The number of signals so far; used on the queue of the signals alone.
private final class SignalCount {
  var value = 0
}
