/// The elements of one observer of a store with a journal: where they end because the journal has failed, they end with its error.
///
/// Under a durable policy each element is delivered once the journal has stored everything that led to it. An element whose wait was
/// cancelled is the next one.
@usableFromInline
struct JournaledElements<Element> {
  @usableFromInline let next: NextElement<Element>

  /// - Parameters:
  ///   - next: reads the elements, which may be ahead of the journal.
  ///   - gate: tells what the journal has stored.
  ///   - revision: the revision of an element, which has to be durable; nil delivers an element at once.
  @inlinable
  init(_ next: @escaping NextElement<Element>, at gate: DurabilityGate, heldBackUntil revision: ((Element) -> Int)?) {
    let observer = DurabilityObserver()
    var held: Element?
    self.next = { () async throws(StoreError) -> Element? in
      if held == nil { held = try await next() }
      if let element = held, await gate.holdBack(observer, until: revision?(element) ?? 0) {
        held = nil
        return element
      }
      try gate.checkEnd()
      return nil
    }
  }
}
