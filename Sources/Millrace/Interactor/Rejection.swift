/// The reason for which an action was rejected.
@frozen
public enum Rejection: Sendable {
  /// A limit of ``StoreConfiguration/Limits``, of an observer, of the journal or of the stores of many keys was reached, or the action was
  /// dropped to make room; the sentence says which one, and the fix.
  case full(String)

  /// Its plan is ``Plan/exclusive(max:key:)``, and as many actions of its key as that says had not ended.
  case exclusive

  /// Its plan is throttled, and an action of its key went before it within the interval.
  case throttled

  /// Its plan has a ``Plan/Breaker``, which is open.
  case breakerOpen

  /// The store was shut down before the action was sent.
  case shuttingDown

  /// An interceptor rejected it, for this reason.
  case intercepted(String)

  /// The interactor decided `.handle` for the action and has no `handle`.
  case notHandled

  /// Its plan contradicts itself; the sentence says how, and the fix.
  case invalidPlan(String)

  /// The store's journal did not take the action, for this reason: the action cannot be encoded, or the journal takes no more.
  case journal(any Error)

  /// The interactor decided against the action, with this error.
  case decided(any Error)

  /// The action was sent to a child that its parent does not have, or that was removed before the take-up.
  ///
  /// The action was never taken up. It is no ``Incident``, because a client may send any id.
  indirect case missingChild(MissingChild)

  /// A run could not send it, for the reason that the sentence gives: the run or its attempt had ended, or the scope of a
  /// child has no `action(_:)`; see ``Run/send(_:)``.
  case notSent(String)

  /// The key of its store is being erased; see `Stores.erase` of MillraceJournal.
  case erased

  /// Another process owns the key of its store; the address at which that one answers, if it is known. See `Stores.open` of MillraceJournal.
  case notOwner(String?)

  /// The reason without its payload, for comparing and counting.
  public var kind: Kind {
    switch self {
    case .full: .full
    case .exclusive: .exclusive
    case .throttled: .throttled
    case .breakerOpen: .breakerOpen
    case .shuttingDown: .shuttingDown
    case .intercepted: .intercepted
    case .notHandled: .notHandled
    case .invalidPlan: .invalidPlan
    case .journal: .journal
    case .decided: .decided
    case .missingChild: .missingChild
    case .notSent: .notSent
    case .erased: .erased
    case .notOwner: .notOwner
    }
  }

  /// The reasons without their payloads.
  @frozen
  public enum Kind: Sendable, Hashable, CaseIterable {
    /// See ``Rejection/full(_:)``.
    case full
    /// See ``Rejection/exclusive``.
    case exclusive
    /// See ``Rejection/throttled``.
    case throttled
    /// See ``Rejection/breakerOpen``.
    case breakerOpen
    /// See ``Rejection/shuttingDown``.
    case shuttingDown
    /// See ``Rejection/intercepted(_:)``.
    case intercepted
    /// See ``Rejection/notHandled``.
    case notHandled
    /// See ``Rejection/invalidPlan(_:)``.
    case invalidPlan
    /// See ``Rejection/journal(_:)``.
    case journal
    /// See ``Rejection/decided(_:)``.
    case decided
    /// See ``Rejection/missingChild(_:)``.
    case missingChild
    /// See ``Rejection/notSent(_:)``.
    case notSent
    /// See ``Rejection/erased``.
    case erased
    /// See ``Rejection/notOwner(_:)``.
    case notOwner

    /// The name of the case.
    package var rawValue: String { "\(self)" }
  }
}

extension Rejection: CustomStringConvertible {
  /// The reason as a sentence, with the fix where there is one.
  public var description: String {
    switch self {
    case .full(let limit):
      limit
    case .exclusive:
      "An action of the same exclusive key has not ended; send it again after that."
    case .throttled:
      "An action of the same key went before it within the throttle's interval; send it again after that."
    case .breakerOpen:
      "The breaker is open because the actions before failed; send it again when the breaker lets one through."
    case .shuttingDown:
      "The store is shut down and takes no more actions; send to a store that is running."
    case .intercepted(let reason):
      "An interceptor rejected the action: \(reason)"
    case .notHandled:
      "The interactor has no `handle` for this action; write `handle`, or return another decision than `.handle` from `decide`."
    case .invalidPlan(let problem):
      problem
    case .journal(let error):
      "The journal did not take the action: \(error)"
    case .decided(let error):
      "The interactor decided against the action: \(error)"
    case .missingChild(let child):
      child.description
    case .notSent(let reason):
      reason
    case .erased:
      "The key is being erased; send it again after that, to a store that begins anew."
    case .notOwner(let address?):
      "Another process owns the key; send it to \(address)."
    case .notOwner(nil):
      "Another process owns the key, or is about to; ask `owner(of:)` for its address, and send it there."
    }
  }
}

extension Rejection {
  /// A child that its parent does not have.
  ///
  /// ``Scoped`` decides to reject with it, and the store ends the action as ``Rejection/missingChild(_:)``.
  public struct MissingChild: Error, CustomStringConvertible {
    private let parent: any Any.Type
    private let child: any Any.Type

    /// The id of the child in its ``EachScope``; nil for a child without one.
    ///
    /// Compare it as the scope's type: `missing.id as? Room.ID`.
    public let id: (any Hashable & Sendable)?

    @usableFromInline
    package init(of parent: any Any.Type, child: any Any.Type, id: (any Hashable & Sendable)? = nil) {
      self.parent = parent
      self.child = child
      self.id = id
    }

    /// The missing child as a sentence, with the fix.
    public var description: String {
      let suffix = id.map { " with the id \($0)" } ?? ""
      return "\(String(reflecting: parent)) has no \(String(reflecting: child))\(suffix); "
        + "add the child before an action is sent to it, and send it none once it is removed."
    }
  }
}

/// The error of a child's run that sends an action and has no way to make one of its parent of it.
@usableFromInline
struct MissingAction: Error, CustomStringConvertible {
  private let type: any Any.Type
  private let fix: String

  /// An action of this type was sent; `fix` says what to add, and where.
  @usableFromInline
  init(of type: any Any.Type, fix: String) {
    self.type = type
    self.fix = fix
  }

  /// The error for the scope of a child that has no `function`.
  @usableFromInline
  init(of type: any Any.Type, scope: any Any.Type, _ function: String) {
    self.init(of: type, fix: "add `static func \(function)` to \(String(reflecting: scope)).")
  }

  /// The missing action as a sentence, with the fix.
  @usableFromInline var description: String {
    "The run of a child sent an action of type \(String(reflecting: type)), and nothing says which action of its parent "
      + "carries that; \(fix)"
  }
}

/// A limit for which an action is rejected as full.
@usableFromInline
package enum FullLimit: Sendable {
  /// The slots, and the room to wait.
  case room
  /// The actions for the thread that has the store's lock.
  case queue
  /// The commits that a lossless observer has not taken.
  case observer
  /// The bytes that wait for the journal.
  case journal
  /// The keys that wait for their opening.
  case keys

  /// The limit and the fix, as a sentence.
  package var sentence: String {
    switch self {
    case .room:
      "Neither a slot (`Limits.runsInFlight`) nor room to wait (`Limits.actionsWaiting`) is free; send less, `submit` instead, or raise "
        + "`StoreConfiguration.limits`."
    case .queue:
      "Too many actions are left for the thread that has the store's lock (`Limits.queuedActions`); send less, or raise "
        + "`StoreConfiguration.limits`."
    case .observer:
      "A lossless observer is too far behind (`ObservationPolicy.lossless(pausesAt:endsAt:)`); `submit` instead, or make the observer faster."
    case .journal:
      "Too many bytes wait for the journal (`JournalOptions.bufferedBytes`); send less, `submit` instead, or raise the limit."
    case .keys:
      "Too many keys wait for their opening (`StoresLimits.waiting`); send less, or raise the limit."
    }
  }
}

extension Rejection {
  /// The rejection of an action for which this limit leaves no room.
  @usableFromInline
  package static func full(at limit: FullLimit) -> Rejection { .full(limit.sentence) }
}
