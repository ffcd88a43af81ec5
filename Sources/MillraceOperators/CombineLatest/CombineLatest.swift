/// The newest elements of two sequences, whenever one of them has a new one.
///
/// **Order.** The first element comes when both bases have one; until then the newer element of a base takes the place of the
/// older. From then on each element of a base makes one, in the order in which they come, and none is skipped. Ends
/// when both have ended, or when one has ended without an element.
///
/// **Backpressure.** A base is asked when the consumer demands an element and none is due. Until the first element is
/// complete a base that has one is read on, and one element is kept of it.
///
/// **Throws:** the first error of a base, after the elements that came before it; the other base is cancelled.
///
/// Both bases have the same failure. Cancellation and lifetime are as for ``DerivedSequence``.
public func combineLatest<First, Second>(
  _ first: First, _ second: Second
) -> DerivedSequence<(First.Element, Second.Element), First.Failure>
where
  First: AsyncSequence & Sendable, Second: AsyncSequence & Sendable, First.Element: Sendable, Second.Element: Sendable,
  Second.Failure == First.Failure
{
  typealias Latest = (First.Element?, Second.Element?)
  return combination(
    of: [part(0, of: first) { $0.0 = $1 }, part(1, of: second) { $0.1 = $1 }],
    from: Latest(nil, nil)
  ) { latest in
    guard let first = latest.0, let second = latest.1 else { return nil }
    return (first, second)
  }
}

/// The newest elements of three sequences, whenever one of them has a new one.
///
/// As ``combineLatest(_:_:)`` does with two.
public func combineLatest<First, Second, Third>(
  _ first: First, _ second: Second, _ third: Third
) -> DerivedSequence<(First.Element, Second.Element, Third.Element), First.Failure>
where
  First: AsyncSequence & Sendable, Second: AsyncSequence & Sendable, Third: AsyncSequence & Sendable,
  First.Element: Sendable, Second.Element: Sendable, Third.Element: Sendable,
  Second.Failure == First.Failure, Third.Failure == First.Failure
{
  typealias Latest = (First.Element?, Second.Element?, Third.Element?)
  return combination(
    of: [part(0, of: first) { $0.0 = $1 }, part(1, of: second) { $0.1 = $1 }, part(2, of: third) { $0.2 = $1 }],
    from: Latest(nil, nil, nil)
  ) { latest in
    guard let first = latest.0, let second = latest.1, let third = latest.2 else { return nil }
    return (first, second, third)
  }
}

/// One base of a combination, whose elements go where `put` puts them.
private func part<Base: AsyncSequence & Sendable, Latest>(
  _ index: Int, of base: Base, put: @escaping @Sendable (inout Latest, Base.Element) -> Void
) -> Upstream<CombinePart<Latest>, Base.Failure> where Base.Element: Sendable {
  Upstream(base, last: .end(base: index)) { element in .element(base: index) { put(&$0, element) } }
}

/// The merged parts, put together; `complete` is called when every place is taken.
private func combination<Latest, Element, Failure>(
  of parts: [Upstream<CombinePart<Latest>, Failure>], from empty: Latest,
  complete: @escaping @Sendable (Latest) -> Element?
) -> DerivedSequence<Element, Failure> {
  DerivedSequence {
    let lifetime = IteratorLifetime(OperatorStorage(MergeState(bases: parts.count), of: parts))
    var state = CombineState(empty, bases: parts.count)
    return { () async throws(Failure) -> Element? in
      while let part = try await lifetime.storage.next() {
        switch state.take(part) {
        case .combined(let latest): return complete(latest)
        case .incomplete: continue
        case .impossible: lifetime.storage.cancel()
        }
      }
      return nil
    }
  }
}
