import Millrace

extension World {
  /// The files of a node, which survive its crashes as far as they were synchronized.
  ///
  /// **Order.** Each call is a step of its own, so a crash may come between any two. A file is changed by writes in their order. ``sync(_:)`` makes
  /// those of one file durable. A crash keeps, of each file, as many of the later writes as the seed draws, from the first one on; of the
  /// one after them it may keep a first part, if that appends. Reads see all writes, as in a process that has not crashed.
  ///
  /// A failing seed is left with as few writes kept as fail too.
  public actor Storage {
    fileprivate enum Write: Sendable {
      case append([UInt8])
      case replace([UInt8])
      case remove
    }

    fileprivate struct File: Sendable {
      var durable: [UInt8]?
      var pending: [Write] = []

      var content: [UInt8]? { Self.content(durable, pending) }

      static func content(_ start: [UInt8]?, _ writes: some Sequence<Write>) -> [UInt8]? {
        writes.reduce(into: start) { content, write in
          switch write {
          case .append(let bytes): content = (content ?? []) + bytes
          case .replace(let bytes): content = bytes
          case .remove: content = nil
          }
        }
      }
    }

    private let files = Lock<[String: File]>([:])
    private let runtime: WorldRuntime

    init(in world: World) {
      runtime = world.runtime
    }

    /// The content of a file; nil if there is none of this name.
    public func read(_ file: String) -> [UInt8]? { files.withLock { $0[file]?.content } }

    /// The names of all files, sorted.
    public var names: [String] { files.withLock { files in files.filter { $0.value.content != nil }.keys.sorted() } }

    /// Adds bytes at the end of a file, which need not exist.
    public func append(_ bytes: some Sequence<UInt8> & Sendable, to file: String) {
      add(.append(Array(bytes)), to: file)
    }

    /// Creates a file of these bytes, in the place of the one that was there.
    public func write(_ bytes: some Sequence<UInt8> & Sendable, to file: String) {
      add(.replace(Array(bytes)), to: file)
    }

    /// Removes a file.
    public func remove(_ file: String) { add(.remove, to: file) }

    /// Synchronizes a file, so that all writes to it survive a crash; all files if none is named.
    public func sync(_ file: String? = nil) {
      guard mayWrite else { return }
      files.withLock { files in
        for name in file.map({ [$0] }) ?? Array(files.keys) {
          if let content = files[name]?.content { files[name] = File(durable: content) } else { files[name] = nil }
        }
      }
    }

    private func add(_ write: Write, to file: String) {
      guard mayWrite else { return }
      files.withLock { $0[file, default: File()].pending.append(write) }
    }

    /// A step that has crashed its own node writes no more; another thread fails the seed.
    private var mayWrite: Bool { runtime.isUsedHere("storage") && !runtime.isCutOff }

    /// Loses writes that are not synchronized, as the seed draws.
    nonisolated func crash() {
      guard let world = runtime.world else { return }
      for name in files.withLock({ $0.filter { !$0.value.pending.isEmpty }.keys.sorted() }) {
        let pending = files.withLock { $0[name]?.pending ?? [] }
        let kept = world.drawKept(upTo: pending.count)
        var writes = Array(pending.prefix(kept))
        if kept < pending.count, case .append(let bytes) = pending[kept] {
          let part = world.drawKept(upTo: max(bytes.count - 1, 0))
          if part > 0 { writes.append(.append(Array(bytes.prefix(part)))) }
        }
        files.withLock { files in
          let durable = files[name]?.durable
          files[name] = File(durable: File.content(durable, writes))
        }
        world.trace { "keeps \(kept) of \(pending.count) unsynchronized writes of \(name)" }
      }
    }
  }
}
