extension RunContext {
  /// The context of the run whose handler this task is in, or nil.
  ///
  /// It is a task-local value, so it holds in child tasks and in an unstructured `Task` of the handler, not in a detached one.
  public static var current: RunContext? { Ticket.current.get()?.context }
}
