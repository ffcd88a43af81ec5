import Millrace
import Testing

@testable import MillraceJournal

extension Stores {
  /// Returns once a key is not in memory, after it has become idle.
  func untilHibernated(_ id: Key) async {
    #expect(await hibernateWhenIdle(id))
  }

  /// Hibernates a key as soon as it is idle.
  func hibernateWhenIdle(_ id: Key) async -> Bool {
    repeat { await untilUnused(id) } while await hibernate(id) == false
    return true
  }

  /// Whether the store of a key is idle.
  func isIdle(_ id: Key) -> Bool {
    core.registry.withLock { $0.members[UTF8Text(id.description)] }?.store.idleState(orWhenIdle: nil) != nil
  }

  /// Returns once the opening of a key is over, no caller uses it, and it is idle.
  func untilUnused(_ id: Key) async {
    // An action may have its outcome before the key is counted as live.
    if core.registry.withLock({ $0.members[UTF8Text(id.description)] }) != nil { _ = try? await state(of: id) }
    guard let member = core.registry.withLock({ $0.members[UTF8Text(id.description)] }) else { return }
    await withCheckedContinuation { continuation in
      if member.store.idleState(orWhenIdle: { continuation.resume() }) != nil { continuation.resume() }
    }
  }

  /// Returns once a key has hibernated because of its age or its place.
  func untilHibernatedByItself(_ id: Key) async {
    while let promise = hibernation(of: id) { if await promise.value { return } }
  }

  /// A promise that is fulfilled when the key has hibernated, or is found to be in use; nil if it is not in memory.
  private func hibernation(of id: Key) -> Promise<Bool>? {
    core.registry.withLock { registry in
      guard let member = registry.members[UTF8Text(id.description)] else { return nil }
      let promise = Promise<Bool>()
      member.hibernated.append(promise)
      return promise
    }
  }
}
