import MillraceSystem

/// The body of a task that starts on the thread that makes it.
@usableFromInline
package typealias TaskBody = @Sendable @concurrent () async throws -> Void

/// Creates a detached task, and runs it on this thread up to its first suspension, as `Task.immediateDetached` does.
///
/// It inherits no task-local value, priority, actor or cancellation of the running task.
///
/// `Task.immediateDetached` of Swift 6.3 gives each task a record of an executor preference though it is called without one,
/// because the code that is generated for it takes nil for a preference. The runtime looks through that record at each
/// suspension. With the closure that adds `throws` to the body of a task that cannot fail, that is two fifths of the cost of a
/// task with one suspension (816 ns against 474; `Task.detached` 690). So this calls the two functions of the runtime that
/// the generated code calls, without the record, where that was measured and tested: on Linux and x86-64, with Swift 6.3.
/// Elsewhere it is `Task.immediateDetached`.
///
/// **The protocol.** A closure is two words: its function, and a reference to its context.
///
/// 1. The runtime calls the function as one that may throw and returns its result indirectly. A ``TaskBody`` may throw, so that
///    it says in the register of the error that there is none. Its result is empty, so that it uses no address for the result.
/// 2. It is `@concurrent`, so that it takes no actor as a parameter.
/// 3. Its words are read from a structure that is not generic, because a generic one would hold another closure around it.
/// 4. The runtime takes over a reference to the context, and returns one to the task.
@usableFromInline
package func makeDetachedTask(_ body: @escaping TaskBody) -> Task<Void, any Error> {
  #if os(Linux) && arch(x86_64) && compiler(>=6.3) && compiler(<6.4)
    let (function, context) = withUnsafeBytes(of: Closure(body: body)) { closure in
      let words = closure.loadUnaligned(as: (UnsafeMutableRawPointer, UnsafeMutableRawPointer?).self)
      if let context = words.1 { _ = Unmanaged<AnyObject>.fromOpaque(context).retain() }
      return words
    }
    var task = millrace_start_task(unsafeBitCast(Void.self as Any.Type, to: UnsafeRawPointer.self), function, context)
    return withUnsafeMutablePointer(to: &task) { task in
      UnsafeMutableRawPointer(task).assumingMemoryBound(to: Task<Void, any Error>.self).move()
    }
  #else
    Task.immediateDetached(operation: body)
  #endif
}

#if os(Linux) && arch(x86_64) && compiler(>=6.3) && compiler(<6.4)
  private struct Closure {
    let body: TaskBody
  }
#endif
