public import Millrace
import MillraceEntries

/// Something that was otherwise in a resimulation than when it was recorded.
public struct ResimulationDifference: Sendable, CustomStringConvertible {
  /// The kinds there are; more may come.
  public struct Kind: Sendable, Hashable, CustomStringConvertible {
    private let name: String

    /// The name of the kind.
    public var description: String { name }

    /// An action committed other mutations.
    public static let mutations = Kind(name: "mutations")
    /// An action ended otherwise.
    public static let outcome = Kind(name: "outcome")
    /// A handler made a call that was not recorded; the call has failed.
    public static let unexpectedCall = Kind(name: "unexpectedCall")
    /// A handler did not make a call that was recorded.
    public static let unusedReply = Kind(name: "unusedReply")
    /// A recorded reply is none of the type that the handler asks for; the call has failed.
    public static let unreadableReply = Kind(name: "unreadableReply")
    /// A handler sent an action that was not recorded.
    public static let unexpectedAction = Kind(name: "unexpectedAction")
    /// An action that was recorded was not accepted again, or not sent by its handler.
    public static let missingAction = Kind(name: "missingAction")
    /// An action did not continue; the resimulation continued without it.
    public static let stuck = Kind(name: "stuck")
  }

  /// The kind of the difference.
  public let kind: Kind

  /// The recorded run that it is about; nil for what a run did that was not recorded.
  public let run: RunID?

  /// The difference as a sentence, with the differing parts in lines behind it.
  public let description: String

  init(_ kind: Kind, _ run: RunID?, _ description: String) {
    self.kind = kind
    self.run = run
    // Names and texts come from a file of unknown origin.
    self.description = description.shown(keepsLines: true)
  }
}
