#if Inspector
  import Millrace
  import MillraceInspector

  /// Stores that an inspector shows: the cost without a client, and that of a scrape.
  let inspectorRows: [Row] = [
    Row(name: "inspect/idle", reference: "send/decided", target: 1.05, gate: .otherBuild) { size in
      let count = size.scaled(5_000_000)
      let store = Store(initial: Tally(), interactor: Deciding())
      let inspector = try Inspector(port: 0)
      inspector.show(store, as: "tally")
      let figure = await perItem(count) {
        for number in 0..<count { store.send(.add(number)) }
      }
      let last = await store.state.last
      precondition(last == count - 1)
      await inspector.close()
      return figure
    },
    // One text of all stores, as the inspector makes it, and not a text of each, which would repeat the heads of all families: the ratio
    // is that of what the inspector adds, which are two questions to each store in tasks of their own, its own series, and the transfer.
    Row(name: "reference/open-metrics-1000") { size in
      let stores = await handledStores()
      let scrapes = scrapes(size)
      return try await perItem(scrapes * stores.count) {
        for _ in 0..<scrapes {
          var metrics: [(labels: [String: String], metrics: Metrics)] = []
          for (name, store) in stores { metrics.append((["store": name], await store.metrics)) }
          let text = Metrics.openMetrics(of: metrics)
          guard text.hasSuffix("# EOF\n") else { throw Unreached() }
        }
      }
    },
    Row(name: "inspect/scrape", reference: "reference/open-metrics-1000", target: 1.5, gate: .otherBuild) { size in
      let stores = await handledStores()
      let scrapes = scrapes(size)
      let inspector = try Inspector(port: 0)
      for (name, store) in stores { inspector.show(store, as: name) }
      let client = ScrapingClient(port: inspector.port ?? 0)
      let figure = try await perItem(scrapes * stores.count) {
        for _ in 0..<scrapes {
          guard await client.scrape().ends(with: "# EOF\n") else { throw Unreached() }
        }
      }
      await inspector.close()
      return figure
    },
  ]

  /// The sentence about rows that this build does not have.
  let absentInspectorRows: String? = nil

  /// The number of scrapes.
  private func scrapes(_ size: Size) -> Int {
    switch size {
    case .full: 10
    case .short: 2
    case .quick: 1
    }
  }

  /// A thousand stores by their names, each of which has handled an action, so that its histograms have a time.
  private func handledStores() async -> [(name: String, store: Store<Effecting>)] {
    let stores = (0..<1_000).map { ("store-\($0)", Store(initial: Tally(), interactor: Effecting())) }
    let handled = Countdown(stores.count)
    for (_, store) in stores { store.send(handled) }
    await handled.wait()
    return stores
  }
#else
  /// Stores that an inspector shows, which builds with the trait Inspector have.
  let inspectorRows: [Row] = []

  /// The sentence about rows that this build does not have.
  let absentInspectorRows: String? =
    """
    The rows inspect/… need the trait Inspector: swift run -c release --traits Inspector --scratch-path \
    .build-inspector-release benchmarks --filter inspect/
    """
#endif
