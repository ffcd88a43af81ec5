import Foundation
import Millrace
import MillraceEntries

/// The writer that has taken a log over, and the time at which it did.
public struct JournalEpoch: Sendable, Hashable, Codable, CustomStringConvertible {
  /// The name of the machine.
  public let host: String

  /// The number of the process.
  public let process: Int

  /// The wall time in milliseconds since 1970.
  public let time: Int64

  /// The initial state of the writer; nil if it is not known.
  var initial: InitialState?

  /// Creates an epoch.
  ///
  /// - Parameters:
  ///   - host: The name of the machine.
  ///   - process: The number of the process.
  ///   - time: The wall time in milliseconds since 1970.
  public init(host: String, process: Int, time: Int64) {
    self.host = host
    self.process = process
    self.time = time
  }

  /// Creates an epoch of this machine and process, which begins now.
  public static func now() -> JournalEpoch { begun(at: WallTime.now()) }

  /// An epoch of this machine and process, which begins at a wall time.
  static func begun(at time: Int64) -> JournalEpoch {
    var name = [UInt8](repeating: 0, count: 256)
    let isNamed = name.withUnsafeMutableBytes { bytes in
      gethostname(bytes.assumingMemoryBound(to: CChar.self).baseAddress!, bytes.count - 1) == 0
    }
    let host = isNamed ? String(decoding: name.prefix { $0 != 0 }, as: UTF8.self) : "an unnamed machine"
    return JournalEpoch(
      host: host, process: Int(getpid()), time: time)
  }

  /// The process, the machine and the time, as the middle of a sentence.
  public var description: String {
    let date = Date(timeIntervalSince1970: Double(time) / 1000).formatted(.iso8601)
    return "process \(process) on \(host), since \(date)"
  }

  /// The epoch as the payload of an entry.
  package var encoded: [UInt8] {
    // Two numbers and a text always have a JSON.
    (try? JSON.encoder().encode(self)).map(Array.init) ?? []
  }

  /// The epoch in the payload of an entry.
  ///
  /// - Throws: ``JournalError`` with the code ``JournalError/Code/corrupt`` if the payload is none.
  package init(payload: [UInt8], of key: JournalKey, at sequence: JournalSequence) throws(JournalError) {
    do {
      self = try JSON.decoder().decode(JournalEpoch.self, from: Data(payload))
    } catch {
      throw .unreadable(key, at: sequence, DecodingReason.text(of: error))
    }
  }
}

extension JournalRecord {
  /// Reads the epoch that a record of the kind ``JournalEntry/Kind/epoch`` holds; nil for a record of another kind.
  ///
  /// - Parameter key: The key of the record, which an error names.
  /// - Throws: ``JournalError`` with the code ``JournalError/Code/corrupt`` and the sequence if the payload is no epoch.
  public func epoch(of key: JournalKey) throws(JournalError) -> JournalEpoch? {
    guard entry.kind == .epoch else { return nil }
    return try JournalEpoch(payload: entry.payload, of: key, at: sequence)
  }
}

/// The initial state of a store, as the epochs of its log have it to be compared.
struct InitialState: Sendable, Hashable, Codable {
  /// The checksum of the encoded state.
  let digest: UInt64
  /// The version of the schema.
  let version: Int
}
