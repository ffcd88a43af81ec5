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
  /// They are received on a queue of their own, which handlers that never suspend do not hold up. With a `limit`, the process ends that long after the first
  /// one at the latest, by exit code 1 and a line on standard error: a pool whose threads are blocked ends nothing in order.
  ///
  /// With a `farewell`, SIGTSTP writes it before the process stops, and `welcome` when the process continues. `restore` is called
  /// wherever `farewell` is written, to give a terminal its modes back, and `resume` where `welcome` is.
  package init(
    stop: StopRequest, limit: Duration? = nil, reload: (@Sendable () -> Void)? = nil, farewell: String = "",
    welcome: String = "",
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
        guard count.value > 1 else {
          if let limit { Self.end(after: limit, on: queue, while: count, farewell, restore) }
          return stop.request()
        }
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

  /// Ends the process after a time, unless the signals are not taken any longer.
  private static func end(
    after limit: Duration, on queue: DispatchQueue, while count: SignalCount, _ farewell: String,
    _ restore: @escaping @Sendable () -> Void
  ) {
    let seconds = min(max(limit / .seconds(1), 0), 1e9)
    queue.asyncAfter(deadline: .now() + seconds) { [weak count] in
      if count == nil { return }
      writeNow(farewell)
      restore()
      StandardError.writeLine(
        "The process has not ended within \(limit) after a signal, and ends now; find the handler that blocks a thread without suspending, or the server that does not answer."
      )
      _exit(1)
    }
  }

  private static func writeNow(_ text: String) {
    _ = text.withCString { write(STDOUT_FILENO, $0, strlen($0)) }
  }
}

/// The number of signals so far; used on the queue of the signals alone.
private final class SignalCount: @unchecked Sendable {
  var value = 0
}
