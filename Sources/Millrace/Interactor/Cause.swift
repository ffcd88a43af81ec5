/// What brought a commit about: an action, and where that came from.
///
/// One word; all commits of one run share it.
public struct Cause<Action: Sendable>: Sendable {
  @usableFromInline
  final class Content: Sendable {
    @usableFromInline let action: Action
    @usableFromInline let context: RunContext

    @inlinable
    init(action: Action, context: RunContext) {
      self.action = action
      self.context = context
    }
  }

  @usableFromInline let content: Content

  @inlinable
  init(action: Action, context: RunContext) {
    content = Content(action: action, context: context)
  }

  /// The action; of a run that is shared, the first of those that share it.
  @inlinable public var action: Action { content.action }

  /// The action's id, as on its receipt.
  @inlinable public var id: ActionID { content.context.run.action }

  /// The run, the one whose handler sent the action, where the chain of these began, and the trace.
  @inlinable public var context: RunContext { content.context }
}
