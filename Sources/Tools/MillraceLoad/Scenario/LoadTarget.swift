package import Millrace

/// A virtual user: takes requests, and says how each ends.
package protocol LoadTarget: Sendable {
  /// Begins a request on the caller's thread. It must not wait for the request to end.
  func begin(_ request: LoadRequest) -> LoadStart

  /// Ends what this user keeps open. Requests that have not ended are cancelled.
  func close() async

  /// The stores that this user loads, as far as they are known.
  var stores: [any LoadedStore] { get }

  /// The figures of the loaded system at the end of a run, for the report.
  var figures: [LoadFigure] { get }
}

extension LoadTarget {
  package var stores: [any LoadedStore] { [] }
  package var figures: [LoadFigure] { [] }
}

/// A figure of the loaded system, beside those of its requests.
package struct LoadFigure: Sendable, Equatable {
  /// The unit of a value.
  package enum Unit: Sendable {
    case number, bytes
  }

  let name: String
  let value: Int
  let unit: Unit

  /// Creates a figure.
  package init(_ name: String, _ value: Int, _ unit: Unit = .number) {
    (self.name, self.value, self.unit) = (name, value, unit)
  }

  /// The value as people read it.
  var text: String {
    switch unit {
    case .number: Figures.count(value)
    case .bytes: Figures.decimal(Double(value) / 1e6, digits: 1) + " MB"
    }
  }
}

/// A request that has begun.
package enum LoadStart: Sendable {
  /// The request has ended already.
  case ended(Outcome)
  /// The request ends when its action does.
  case sent(Receipt)
  /// The request still has to be performed.
  case due(@Sendable () async -> LoadEnd)
}

/// A user whose requests are actions of a store.
struct StoreTarget<I: Interactor>: LoadTarget {
  let store: Store<I>
  let action: @Sendable (LoadRequest) -> I.Action

  var stores: [any LoadedStore] { [store] }

  func begin(_ request: LoadRequest) -> LoadStart {
    let receipt = store.send(action(request))
    return receipt.outcomeNow.map(LoadStart.ended) ?? .sent(receipt)
  }

  func close() async {
    _ = await store.shutdown(drainFor: .zero)
  }
}

/// A user whose requests are calls of a closure.
struct ClosureTarget: LoadTarget {
  /// The client, if it is a store.
  let stores: [any LoadedStore]
  let perform: @Sendable (LoadRequest) async -> LoadEnd

  func begin(_ request: LoadRequest) -> LoadStart {
    .due { await perform(request) }
  }

  func close() async {}
}

/// A user that sends each request to one of several others, at random by their weights.
struct MixedTarget: LoadTarget {
  /// The targets, each with the sum of the weights up to its own.
  let parts: [(end: Double, target: any LoadTarget)]
  let seed: UInt64

  var stores: [any LoadedStore] { parts.flatMap(\.target.stores) }

  func begin(_ request: LoadRequest) -> LoadStart {
    // A generator for each request, so that nothing is shared and the choice depends on its number alone.
    var generator = SplitMix(seed: seed &+ UInt64(request.number) &* 0x9E37_79B9_7F4A_7C15)
    let draw = generator.unit() * (parts.last?.end ?? 0)
    let part = parts.first { draw < $0.end } ?? parts[parts.count - 1]
    return part.target.begin(request)
  }

  var figures: [LoadFigure] { parts.flatMap(\.target.figures) }

  func close() async {
    for part in parts { await part.target.close() }
  }
}

/// One request of a load run.
public struct LoadRequest: Sendable {
  /// The number of the virtual user that sends it, from 0.
  public let user: Int

  /// The number of the request in its run, from 0; requests of the warm-up count too.
  public let number: Int

  package init(user: Int, number: Int) {
    self.user = user
    self.number = number
  }
}

/// The end of a request.
package struct LoadEnd: Sendable {
  /// The number of characters of an error's text that are kept.
  static let longestText = 200

  let outcome: Outcome

  /// The status of its HTTP answer; nil where there is none.
  let status: Int?

  /// The beginning of the text of the error with which it failed; nil where it did not fail.
  let errorText: String?

  /// - Parameters:
  ///   - outcome: the way in which the request ended.
  ///   - status: the status of its HTTP answer.
  package init(_ outcome: Outcome, status: Int? = nil) {
    self.outcome = outcome
    self.status = status
    errorText = if case .failed(let error) = outcome { Self.text(of: error) } else { nil }
  }

  private static func text(of error: any Error) -> String {
    let text = String(describing: error)
    return text.unicodeScalars.count > longestText
      ? String(String.UnicodeScalarView(text.unicodeScalars.prefix(longestText))) + "…" : text
  }
}

/// A load run that cannot begin; the description says the reason and the fix.
public struct LoadError: Error, Equatable, CustomStringConvertible {
  /// The sentence.
  public let description: String

  init(_ description: String) {
    self.description = description
  }
}
