/// The elements of one observer under a durable policy: each is delivered once the journal has stored everything that led to it.
///
/// They end when the journal fails before. An element whose wait was cancelled is the next one.
@usableFromInline
struct JournaledElements<Element> {
  @usableFromInline let next: NextElement<Element>

  /// - Parameters:
  ///   - next: reads the elements, which may be ahead of the journal.
  ///   - gate: tells what the journal has stored.
  ///   - revision: the revision of an element.
  @inlinable
  init(_ next: @escaping NextElement<Element>, at gate: DurabilityGate, revision: @escaping (Element) -> Int) {
    let observer = DurabilityObserver()
    var held: Element?
    self.next = { () async throws(StoreError) -> Element? in
      if held == nil { held = try await next() }
      guard let element = held, await gate.holdBack(observer, until: revision(element)) else { return nil }
      held = nil
      return element
    }
  }
}
