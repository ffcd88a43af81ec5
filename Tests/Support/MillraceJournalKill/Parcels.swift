import Millrace

/// Notes that are decided at once, several by one action, and parcels that are packed piece by piece.
struct Parcels: Interactor {
  enum Action: Sendable, Codable {
    /// Commits a note of this number and of the two behind it.
    case note(Int)
    /// Packs a parcel; a crash ends it.
    case pack(Int)
    /// Packs a parcel; after a crash it is packed again from the first piece.
    case packAgain(Int)
  }

  enum Mutation: Sendable, Codable {
    case noted(Int)
    case opened(Int)
    case packed(Int, piece: Int)
    case closed(Int)
  }

  struct State: Sendable, Codable, Equatable {
    /// The notes in the order of their commits.
    var notes: [Int] = []
    /// The newest piece of each parcel.
    var pieces: [Int: Int] = [:]
    /// The parcels that were opened more than once.
    var reopened: Set<Int> = []
    /// The parcels that were closed before their last piece.
    var closed: Set<Int> = []
  }

  /// The number of notes of one action, and of pieces in a parcel.
  static let count = 3

  func plan(for action: Action, state: State) -> Plan {
    if case .packAgain = action { .concurrent.recovery(.handleAgain) } else { .concurrent }
  }

  func decide(_ action: Action, state: State) -> Decision<Mutation> {
    switch action {
    case .note(let number): .mutate((number..<number + Self.count).map { .noted($0) })
    case .pack(let number), .packAgain(let number): .mutate(.opened(number), thenHandle: true)
    }
  }

  func handle(_ action: Action, state: State) -> Effect<Self> {
    Effect { run in
      switch action {
      case .note: break
      case .pack(let number), .packAgain(let number):
        for piece in 1...Self.count {
          run.emit(.packed(number, piece: piece))
          // Other tasks send between two pieces.
          await Task.yield()
        }
      }
    }
  }

  func closing(_ action: Action, outcome: Outcome) -> Mutation? {
    switch action {
    case .note: nil
    case .pack(let number), .packAgain(let number): .closed(number)
    }
  }

  static func reduce(into state: inout State, mutation: Mutation) {
    switch mutation {
    case .noted(let number): state.notes.append(number)
    case .opened(let number):
      if state.pieces.updateValue(0, forKey: number) != nil { state.reopened.insert(number) }
    case .packed(let number, let piece): state.pieces[number] = piece
    case .closed(let number): state.closed.insert(number)
    }
  }
}
