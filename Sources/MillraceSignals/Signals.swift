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
  package init(stop: StopRequest, reload: (@Sendable () -> Void)? = nil, farewell: String = "") {
    // A closed output is an error of write(2), not a signal that kills.
    signal(SIGPIPE, SIG_IGN)
    let queue = DispatchQueue(label: "millrace.signals")
    let count = SignalCount()
    let registered = DispatchSemaphore(value: 0)
    sources = ([SIGINT, SIGTERM] + (reload == nil ? [] : [SIGHUP])).map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler {
        if number == SIGHUP, let reload { return reload() }
        count.value += 1
        guard count.value > 1 else { return stop.request() }
        _ = farewell.withCString { write(STDOUT_FILENO, $0, strlen($0)) }
        _exit(128 + number)
      }
      source.setRegistrationHandler { _ = registered.signal() }
      source.resume()
      return source
    }
    // A signal that comes before its source watches would be lost.
    for _ in sources { registered.wait() }
  }
}

/// The number of signals so far; used on the queue of the signals alone.
private final class SignalCount {
  var value = 0
}
