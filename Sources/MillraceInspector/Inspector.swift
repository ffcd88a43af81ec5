#if Inspector
  public import Millrace
  public import MillraceJournal

  /// Shows the health, the metrics and the open runs of a process's stores by HTTP; it needs the trait `Inspector`.
  ///
  /// ```swift
  /// let inspector = try Inspector(port: 8080)
  /// inspector.show(store, as: "orders")
  /// ```
  ///
  /// `/livez`, `/readyz` and `/startupz` are for what restarts the process and sends it work, `/metrics` for Prometheus and its like, and `/runs`
  /// lists the open runs as JSON. Nothing that a client sends changes a store.
  ///
  /// **Cost.** One thread waits for all connections. A store pays nothing while no client asks. An answer reads each store between two of its steps.
  ///
  /// **Security.** It listens at the loopback address only, unless it is given another one. ``InspectorOptions/token`` protects the pages that show actions.
  ///
  /// **Lifetime.** The inspector keeps the stores that it shows. It stops when it is released, or by ``close()``.
  public final class Inspector: Sendable {
    /// The port at which it listens; nil for a Unix socket.
    public let port: Int?

    private let pages: Pages
    private let server: HTTPServer
    private let clock: any Clock<Duration>
    private let socket: ListeningSocket
    private let isClosed = Lock(false)

    /// Listens at a port.
    ///
    /// - Parameters:
    ///   - port: the port; 0 for any that is free.
    ///   - host: the address of the interface; `0.0.0.0` or `::` for all of the machine.
    ///   - options: the limits and the names.
    /// - Throws: ``InspectorError`` if the port is in use or the address is none, or the certificate cannot be used.
    public convenience init(
      port: Int, host: String = "127.0.0.1", options: InspectorOptions = InspectorOptions()
    ) throws(InspectorError) {
      try self.init(.port(port, host: host), options)
    }

    /// Listens at a Unix socket that only the user of the process may open.
    ///
    /// - Parameters:
    ///   - path: the path, of at most 107 bytes. The socket of a process that has ended is removed; other files are not.
    ///   - options: the limits and the names.
    /// - Throws: ``InspectorError`` if another process listens there, or the file cannot be made.
    public convenience init(socket path: String, options: InspectorOptions = InspectorOptions()) throws(InspectorError)
    {
      try self.init(.unixSocket(path), options)
    }

    private init(_ address: InspectorAddress, _ options: InspectorOptions) throws(InspectorError) {
      let (socket, pages) = (try ListeningSocket(address), Pages(options))
      (port, self.socket, self.pages, clock) = (socket.port, socket, pages, options.clock)
      do throws(InspectorError) {
        server = try HTTPServer(socket, options, pages)
      } catch {
        socket.removeFile()
        throw error
      }
    }

    deinit {
      removeFile()
      Task.detached { [server] in await server.stop() }
    }

    /// Removes the file of a Unix socket once, because a later file may have its number.
    private func removeFile() {
      let isFirst = isClosed.withLock { isClosed in
        defer { isClosed = true }
        return !isClosed
      }
      if isFirst { socket.removeFile() }
    }

    // MARK: What is shown

    /// Shows a store by a name, which the label `store` of its metrics has.
    ///
    /// It ends the opening of the same name, and replaces a store of the same name.
    public func show<I: Interactor>(_ store: Store<I>, as name: String) { pages.show(ShownStore(store, name: name)) }

    /// Shows the stores of many keys as one, by a name, which the label `store` of its metrics has; no key is a label.
    ///
    /// `/metrics` has the sums of all keys, and how many are in memory; `/runs` the open runs of the keys in memory, each with its key; `/readyz` fails when
    /// another process has claimed the keys, or the journal does not answer. An answer reads each key in memory between two of its steps.
    public func show<Key, I: Interactor>(_ stores: Stores<Key, I>, as name: String) {
      pages.show(ShownStore(stores, name: name))
    }

    /// Removes the store, or the opening, of this name.
    public func hide(_ name: String) { pages.hide(name) }

    /// Notes that a store is being opened, so that `/startupz` and `/readyz` fail until it is shown, or hidden, by the same name.
    ///
    /// It has no effect on a name that is shown already.
    ///
    /// ```swift
    /// inspector.opening("orders")
    /// let store = try await Store.open(
    ///   initial: Orders.State(), interactor: Orders(), journal: journal, key: "orders",
    ///   progress: { inspector.opening("orders", at: $0.sequence.number, of: $0.last.number) })
    /// inspector.show(store, as: "orders")
    /// ```
    ///
    /// - Parameters:
    ///   - name: the name by which the store will be shown.
    ///   - record: the number of the last record that was read.
    ///   - last: the number of the last record of the log; 0 if it is not known yet.
    public func opening(_ name: String, at record: UInt64 = 0, of last: UInt64 = 0) {
      pages.note(last == 0 ? "begins to open" : "has read record \(record) of \(last)", ofOpening: name)
    }

    /// Adds a check to `/readyz`, or replaces the one of this name.
    ///
    /// - Parameters:
    ///   - name: the name, by which `?exclude=` leaves the check out.
    ///   - check: performs the check, in a task of its own for each request. It fails with the error that it throws, and when it has not
    ///     returned within ``InspectorOptions/checkLimit``, which cancels its task. While 64 calls of it have not returned, because they ignore
    ///     their cancellation, it is not called again and fails.
    public func addCheck(_ name: String, _ check: @escaping @Sendable () async throws -> Void) {
      let calls = BoundedCalls()
      pages.add(
        HealthCheck(name: name) {
          try await calls.perform(check)
          return nil
        })
    }

    /// Adds metrics of the program's own behind those of the stores, read for each scrape.
    public func addMetrics(_ series: @escaping @Sendable () async -> [Metrics.Series]) { pages.add(series) }

    // MARK: The end

    /// Fails `/readyz` from now on, and returns after a delay, in which the senders of work notice it: the first step of a shutdown.
    ///
    /// ```swift
    /// await inspector.beginShutdown(delay: .seconds(5))
    /// await store.shutdown(drainFor: .seconds(20))
    /// await inspector.close()
    /// ```
    ///
    /// A cancelled task does not wait.
    public func beginShutdown(delay: Duration = .zero) async {
      pages.stop()
      if delay > .zero { try? await clock.sleep(for: delay.bounded) }
    }

    /// Stops listening, and answers open requests with 503.
    ///
    /// A second call does nothing, and cancellation has no effect.
    public func close() async {
      removeFile()
      await server.stop()
    }
  }
#endif
