/// What brought a commit about: an action, and where that came from.
///
/// One word; all commits of one run share it.
public struct Cause<Action: Sendable>: Sendable {
  private final class Content: Sendable {
    let action: Action
    let context: RunContext

    init(action: Action, context: RunContext) {
      self.action = action
      self.context = context
    }
  }

  private let content: Content

  package init(action: Action, context: RunContext) {
    content = Content(action: action, context: context)
  }

  /// The action; of a run that is shared, the first of those that share it.
  public var action: Action { content.action }

  /// The action's id, as on its receipt.
  public var id: ActionID { content.context.run.action }

  /// The run, the one whose handler sent the action, where the chain of these began, and the trace.
  public var context: RunContext { content.context }
}
