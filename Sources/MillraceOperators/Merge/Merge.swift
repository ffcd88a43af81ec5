/// The elements of two sequences, as they come.
///
/// **Order.** The elements of one base keep their order; of elements of different bases the earlier one is first. No
/// base is asked again while an element of another one is due, so that none is shut out by a faster one. Ends when
/// both have ended.
///
/// **Backpressure.** No look-ahead: a base is asked when the consumer demands an element and none is due.
///
/// **Throws:** the first error of a base, after the elements that came before it; the other base is cancelled.
///
/// Both bases have the same failure. One that cannot fail is merged with one that can by `map { try pass($0) }`, with a
/// function that returns its argument and is declared as `throws`.
///
/// Cancellation and lifetime are as for ``DerivedSequence``.
public func merge<First, Second>(
  _ first: First, _ second: Second
) -> DerivedSequence<First.Element, First.Failure>
where
  First: AsyncSequence & Sendable, Second: AsyncSequence & Sendable, First.Element: Sendable,
  Second.Element == First.Element, Second.Failure == First.Failure
{
  DerivedSequence {
    OperatorStorage(MergeState(bases: 2), of: [Upstream(first), Upstream(second)])
  }
}

/// The elements of three sequences, as they come.
///
/// As ``merge(_:_:)`` does with two.
public func merge<First, Second, Third>(
  _ first: First, _ second: Second, _ third: Third
) -> DerivedSequence<First.Element, First.Failure>
where
  First: AsyncSequence & Sendable, Second: AsyncSequence & Sendable, Third: AsyncSequence & Sendable,
  First.Element: Sendable, Second.Element == First.Element, Third.Element == First.Element,
  Second.Failure == First.Failure, Third.Failure == First.Failure
{
  DerivedSequence {
    OperatorStorage(MergeState(bases: 3), of: [Upstream(first), Upstream(second), Upstream(third)])
  }
}
