package import Millrace
import MillraceInspector

/// The pages of `--metrics`, which show a run while it lasts: its figures, and the stores of its users.
package final class LoadInspection: Sendable {
  /// The number of stores that are shown at most, so that the text of a run with thousands of users stays short.
  static let storeLimit = 100

  #if Inspector
    private let inspector: Inspector?
  #endif
  private let reading: Lock<@Sendable () -> LoadTally>

  /// - Parameter port: the port on loopback, 0 for any that is free; nil for no pages.
  /// - Throws: ``InspectorError`` for a port that cannot be used.
  init(port: Int?) throws(InspectorError) {
    reading = Lock { LoadTally(duration: .seconds(1)) }
    #if Inspector
      inspector = if let port { try Inspector(port: port) } else { nil }
      inspector?.addMetrics { [weak self] in self?.figures.series ?? [] }
    #endif
  }

  /// The URL of the pages; nil without them.
  var address: String? {
    #if Inspector
      inspector?.port.map { "http://127.0.0.1:\($0)" }
    #else
      nil
    #endif
  }

  /// Shows the stores of the first users.
  func show(_ session: LoadSession) {
    for (name, store) in session.stores(atMost: Self.storeLimit) { store.show(in: self, as: name) }
  }

  /// Shows a store by a name.
  func show<I: Interactor>(_ store: Store<I>, as name: String) {
    #if Inspector
      inspector?.show(store, as: name)
    #endif
  }

  /// Shows the figures that a run, or a window of a search, has from now on.
  func follow(_ read: @escaping @Sendable () -> LoadProgress) { reading.withLock { $0 = { read().figures } } }

  private var figures: LoadTally { reading.withLock { $0 }() }

  /// Stops showing the run.
  func close() async {
    #if Inspector
      await inspector?.close()
    #endif
  }
}

/// A store of a user, without the type of its interactor.
package protocol LoadedStore: Sendable {
  /// Shows the store on pages by a name.
  func show(in inspection: LoadInspection, as name: String)
}

extension Store: LoadedStore {
  package nonisolated func show(in inspection: LoadInspection, as name: String) { inspection.show(self, as: name) }
}

extension LoadTally {
  /// The figures as metrics of the program.
  var series: [Metrics.Series] {
    let ends = [
      ("finished", counts.finished), ("failed", counts.failed), ("timedOut", counts.timedOut),
      ("cancelled", counts.cancelled), ("superseded", counts.superseded), ("rejected", counts.rejected),
    ]
    return [
      .counter("load_requests_sent", Double(counts.sent), help: "Requests of the measured part that were sent."),
      .counter(
        "load_requests_unsent", Double(counts.unsent),
        help: "Requests that were due and not sent, because too many were in flight."),
      .gauge("load_requests_in_flight", Double(counts.inFlight), help: "Requests that have not ended."),
      .histogram(
        "load_latency", latency.histogram, help: "Time from when a request was due to its end, if it finished."),
    ]
      + ends.map { outcome, count in
        .counter(
          "load_requests_ended", Double(count), labels: ["outcome": outcome], help: "Ended requests, by the outcome.")
      }
  }
}
