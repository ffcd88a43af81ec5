import Millrace

/// The times at which runs continue, in nanoseconds.
///
/// A handler that has its reply continues in a thread of its own, and the resimulation takes the next entry, which may be a
/// minute later. Whatever the handler does next with the clock counts from its reply all the same: a rest that began when the
/// next entry was looked at would not be over when it was. So the time of a run is that of what it was given last, for as long
/// as it is not known to have waited for something else.
struct RunTimes: Sendable {
  private struct Entry: Sendable {
    let time: Int64
    /// The number of timers of the store that were over: of a delay between attempts, a debounce or a timeout.
    let alarms: Int
    /// For a run that may have to wait until it begins: how many runs had ended.
    var ends: Int?
  }

  private var entries: [RunID: Entry] = [:]
  private var alarms = 0
  private var ends = 0

  /// The time that a run goes by; nil if it is not known.
  subscript(_ run: RunID) -> Int64? {
    guard let entry = entries[run], entry.alarms == alarms, entry.ends == nil || entry.ends == ends else { return nil }
    return entry.time
  }

  /// A run was accepted, and begins now if it does not have to wait; its sender has come this far.
  mutating func accepted(_ run: RunID, by sender: RunID?, at time: Int64) {
    if let sender { goesOn(sender, at: time) }
    entries[run] = Entry(time: time, alarms: alarms, ends: ends)
  }

  /// A run has what it has waited for, or has done something that is waited for.
  mutating func goesOn(_ run: RunID, at time: Int64) {
    entries[run] = Entry(time: time, alarms: alarms)
  }

  /// A run has ended; its sender may have waited for that.
  mutating func ended(_ run: RunID, of sender: RunID?, at time: Int64) {
    entries[run] = nil
    if let sender, entries[sender] != nil { goesOn(sender, at: time) }
    ends += 1
  }

  /// An alarm of the store has rung.
  mutating func alarmed() {
    alarms += 1
  }
}
