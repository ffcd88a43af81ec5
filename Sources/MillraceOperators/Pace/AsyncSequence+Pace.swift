import Millrace

extension AsyncSequence where Self: Sendable, Element: Sendable {
  /// The last element of this sequence each time that nothing came for an interval.
  ///
  /// **Order.** An element is delivered when `interval` has passed since it came and no other one came; one that comes
  /// before takes its place. When this sequence ends or fails, the element that waits is delivered at once, then the end
  /// or the error.
  ///
  /// **Backpressure.** This sequence is read on while an element waits for its interval. Once the interval has passed, one
  /// further element is read until the consumer takes the first; the interval of that one counts from then, since
  /// nothing could come before. No element that was due is skipped.
  ///
  /// Cancellation and lifetime are as for ``DerivedSequence``.
  ///
  /// - Parameters:
  ///   - interval: the time without an element, on the clock; zero or less lets each element pass that no other one follows at once.
  ///   - clock: the clock that measures the interval.
  public func debounce(
    for interval: Duration, clock: some Clock<Duration> = ContinuousClock()
  ) -> DerivedSequence<Element, Failure> {
    paced(.debounce(interval.bounded), on: clock)
  }

  /// The elements of this sequence, at most one an interval.
  ///
  /// **Order.** The first element is delivered at once. Each delivery begins an interval; at its end the newest element that
  /// came during it is delivered, or the first, and the others are dropped. If none came, the next one is delivered at
  /// once. When this sequence ends or fails, the element that waits is delivered at once, then the end or the error.
  ///
  /// **Backpressure.** This sequence is read on while an interval runs. While an element is due that the consumer has not
  /// taken, at most one further element is read, and no interval runs.
  ///
  /// Cancellation and lifetime are as for ``DerivedSequence``.
  ///
  /// - Parameters:
  ///   - interval: the time between two deliveries, on the clock; zero or less drops nothing that the consumer waits for.
  ///   - clock: the clock that measures the interval.
  ///   - latest: whether the newest element of an interval is delivered, or the first.
  public func throttle(
    for interval: Duration, clock: some Clock<Duration> = ContinuousClock(), latest: Bool = true
  ) -> DerivedSequence<Element, Failure> {
    paced(.throttle(interval.bounded, latest: latest), on: clock)
  }

  private func paced(
    _ rule: PaceState<Element, Failure>.Rule, on clock: some Clock<Duration>
  ) -> DerivedSequence<Element, Failure> {
    DerivedSequence {
      OperatorStorage(PaceState(rule), of: [Upstream(self)], time: AnyClock(clock))
    }
  }
}
