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
  public internal(set) var fault: FakeFault?

  /// Whether this is the second delivery of a request, by the fault ``FakeFault/duplicate``.
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
