extension AsyncSequence {
  /// The elements of this sequence that differ from the one delivered last.
  ///
  /// An equal element is never delivered twice in a row, and nil is an element like any other.
  public func removeDuplicates() -> RemoveDuplicatesSequence<Self> where Element: Equatable & SendableMetatype {
    removeDuplicates(by: ==)
  }

  /// The elements of this sequence that differ from the one delivered last, as a closure sees it.
  ///
  /// - Parameter areEqual: quick and free of effects; it is given the element delivered last and the new one, where the
  ///   consumer runs.
  public func removeDuplicates(
    by areEqual: @escaping @Sendable (_ last: Element, _ next: Element) -> Bool
  ) -> RemoveDuplicatesSequence<Self> {
    RemoveDuplicatesSequence(self, by: areEqual)
  }
}
