/// The calls of one fake, as a value without tasks and locks.
@usableFromInline
struct FakeLog<Request: Sendable>: Sendable {
  @usableFromInline typealias Entry = FakeCallEntry<Request>

  /// The number of calls so far.
  @usableFromInline var count = 0
  @usableFromInline var entries: [Entry] = []
  /// The number of calls that are kept.
  @usableFromInline private(set) var size = FakeLogSize.all

  init() {}

  /// The calls that are kept, oldest first.
  var kept: [Entry] {
    switch size {
    case .all: entries
    case .last(let limit): entries.suffix(max(limit, 0))
    case .none: []
    }
  }

  /// Keeps at most `size` entries, of the present ones too.
  mutating func keep(_ size: FakeLogSize) {
    self.size = size
    trim()
  }

  /// Adds a call, and gives its number.
  @inlinable
  mutating func add(_ request: Request, at time: Duration, _ ending: FakeEnding?) -> Int {
    count += 1
    if size == .none { return count }
    entries.append(Entry(number: count, request: request, began: time, ending: ending))
    // Removed in groups, so that the cost of a removal does not matter.
    if case .last(let limit) = size, entries.count / 2 >= limit { trim() }
    return count
  }

  /// Changes a call, if it is still kept.
  @inlinable
  mutating func update(_ number: Int, _ change: (inout Entry) -> Void) {
    guard let first = entries.first?.number, number >= first, number - first < entries.count else { return }
    change(&entries[number - first])
  }

  /// Drops what is not kept.
  @usableFromInline
  mutating func trim() {
    entries = kept
  }
}

/// The number of calls that the log of a fake keeps.
public enum FakeLogSize: Sendable, Hashable {
  /// Every call, for as long as the fake lives.
  case all
  /// The newest calls, up to this number.
  case last(Int)
  /// None: calls are counted alone, and the time is not read.
  case none
}

/// One call in the log of a fake.
public struct FakeCallEntry<Request: Sendable>: Sendable {
  /// Counts the calls of one ``FakeCall`` or ``FakeStream``, from 1.
  public let number: Int

  /// The request of the call.
  public let request: Request

  /// The time of the call, since the fake was made or was given its clock.
  public let began: Duration

  /// The time at which the call ended; nil while it is open.
  public internal(set) var ended: Duration?

  /// The end; nil until then.
  public internal(set) var ending: FakeEnding?

  /// The fault that it met; nil without ``FakeFaults``, and for most calls with them.
  public internal(set) var fault: FakeFaults.Fault?

  /// Whether this is the second delivery of a request, by the fault ``FakeFaults/Fault/duplicate``.
  public internal(set) var isDuplicate = false

  @usableFromInline
  mutating func end(_ ending: FakeEnding, at time: Duration) {
    if self.ending != nil { return }
    self.ending = ending
    ended = time
  }

  @usableFromInline
  init(number: Int, request: Request, began: Duration, ending: FakeEnding?) {
    self.number = number
    self.request = request
    self.began = began
    self.ending = ending
    ended = ending.map { _ in began }
  }
}

/// The end of a call of a fake.
public enum FakeEnding: Sendable {
  /// The call got its reply; a stream was finished.
  case replied
  /// The call threw this error; a stream ended with it.
  case failed(any Error)
  /// Its task was cancelled, and the call ended by that; of a stream, the consumer went away.
  case cancelled
  /// No script was left for it, which is a failure of the test.
  case unexpected
}

/// The clock of a log.
@usableFromInline
enum FakeTime: Sendable {
  /// Real time since then.
  case real(ContinuousClock.Instant)
  /// The time of a clock since it was given.
  case clock(@Sendable () -> Duration)

  static func sinceNow() -> FakeTime { .real(ContinuousClock.now) }

  init(_ clock: any Clock<Duration>) {
    self = Self.opened(clock)
  }

  private static func opened<C: Clock<Duration>>(_ clock: C) -> FakeTime {
    let start = clock.now
    return .clock { start.duration(to: clock.now) }
  }

  @inlinable var now: Duration {
    switch self {
    case .real(let start): ContinuousClock.now - start
    case .clock(let now): now()
    }
  }
}
