/// The deaths in a row of a run that is handled again: the number of processes that ended while its handler was out without progress.
///
/// The journal has the number that is right if the process ends now. So it counts the handling of this process before the handler
/// starts, takes that back when the run rests, and counts it again before the run continues.
///
/// Only the holder of the store's lock touches it.
@usableFromInline
final class RecoveryCount: @unchecked Sendable {
  /// The number of deaths before the handling of this process; 0 once the run has made progress.
  private var earlier: Int
  private let takenUpAt: Int64
  private let line: RecoveryLine
  private var place: RecoveryLine.Place?
  /// Whether the run has made progress, so that its handling is not counted any more.
  private var isOver = false
  private var isCounted = false

  /// The position of the newest entry that counts the handling.
  private(set) var position = DurabilityGate.restoredPosition

  init(_ deaths: Int, takenUpAt: Int64, in line: RecoveryLine) {
    earlier = deaths
    self.takenUpAt = takenUpAt
    self.line = line
  }

  /// The number of deaths that the journal has.
  var deaths: Int { earlier + (isCounted ? 1 : 0) }

  /// The number of deaths for the journal if the handling is to be counted; nil if it is, or need not be.
  var deathsToCount: Int? { isOver || isCounted ? nil : earlier + 1 }

  func count(at position: Int) { (isCounted, self.position) = (true, position) }

  func uncount() {
    isCounted = false
  }

  /// Notes a record that is progress, or an orderly end of the handling.
  func forget() { (earlier, isCounted, isOver) = (0, false, true) }

  /// Joins the line, if the run has died often enough.
  func joinLine(begin: @escaping @Sendable () -> Void) -> RecoveryLine? {
    guard earlier >= RecoveryLine.firstDeaths else { return nil }
    let place = RecoveryLine.Place(deaths: earlier, takenUpAt: takenUpAt, begin: begin)
    self.place = place
    line.join(place)
    return line
  }

  /// The call by which the run leaves the line; nil if it is not in the line.
  func takeLeave() -> (@Sendable () -> Void)? {
    guard let place = place.take() else { return nil }
    return { [line] in line.leave(place) }
  }
}
