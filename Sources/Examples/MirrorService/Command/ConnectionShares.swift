import MillraceFlags
import MillraceSocket

/// The connections that the limit on open files allows: those of clients, and those to the upstream.
struct ConnectionShares: Sendable, Equatable {
  /// The most clients that are served at the same time; as many again may be refused.
  let clients: Int
  /// The most requests to the upstream at the same time.
  let fetches: Int
  /// The number below which the descriptors of clients are; those from there on are left to the upstream.
  let end: Int
  /// The sentence to say when there are fewer connections than asked for; nil when there are not.
  let shortage: String?

  /// Divides the descriptors that a limit leaves to connections: a quarter at most is the upstream's.
  ///
  /// - Parameter fetches: the number of requests to the upstream that was asked for.
  init(of files: OpenFiles, fetches: Int) {
    let wanted = LineBounds().connections
    let room = files.connections - OpenFiles.own
    self.fetches = min(fetches, max(1, room / 4))
    clients = min(wanted, max(1, (room - self.fetches) / 2))
    end = files.connections - self.fetches
    let needed = OpenFiles.limit(connections: OpenFiles.own + max(4 * fetches, 2 * wanted + fetches))
    shortage =
      files.limit >= needed
      ? nil
      : "mirror may open \(files.limit) files, which limits clients to \(clients) and requests to the upstream to "
        + "\(self.fetches); for \(wanted) and \(fetches), raise the limit (ulimit -Hn \(needed))."
  }
}
