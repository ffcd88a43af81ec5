/// The activity over time: bands of equal width over a time whose end is not known beforehand.
///
/// When an event comes that lies behind the last band, two neighbours become one until it fits. So the memory is constant, and in
/// the end more than half of the bands are in use.
struct ActivityBands: Sendable, Equatable {
  /// The activity of one band.
  struct Band: Sendable, Equatable {
    var actions = 0
    var commits = 0
    /// The most runs that were open at once; nil if their number did not change here.
    var mostOpen: Int?
    /// The number of open runs at its end; nil if the number did not change here.
    var lastOpen: Int?

    mutating func merge(_ next: Band) {
      actions += next.actions
      commits += next.commits
      mostOpen = [mostOpen, next.mostOpen].compactMap(\.self).max()
      lastOpen = next.lastOpen ?? lastOpen
    }
  }

  /// The largest number of bands; even, so that they can be paired.
  static let capacity = 120

  /// The width of a band in nanoseconds.
  private(set) var width: Int64 = 1
  private var bands: [Band] = []
  private var open = 0

  mutating func addAction(at time: Int64) { change(at: time) { $0.actions += 1 } }

  mutating func addCommit(at time: Int64) { change(at: time) { $0.commits += 1 } }

  mutating func setOpen(_ count: Int, at time: Int64) {
    let before = open
    open = count
    change(at: time) { band in
      band.mostOpen = max(band.mostOpen ?? before, count)
      band.lastOpen = count
    }
  }

  /// The bands up to the last in which something happened; each with its most open runs.
  var filled: [Band] {
    var last = 0
    return bands.map { band in
      var band = band
      band.mostOpen = max(band.mostOpen ?? last, last)
      last = band.lastOpen ?? last
      band.lastOpen = last
      return band
    }
  }

  private mutating func change(at time: Int64, _ body: (inout Band) -> Void) {
    let time = max(time, 0)
    while time / width >= Int64(Self.capacity) { pair() }
    let index = Int(time / width)
    while bands.count <= index { bands.append(Band()) }
    body(&bands[index])
  }

  private mutating func pair() {
    width *= 2
    var paired: [Band] = []
    for index in stride(from: 0, to: bands.count, by: 2) {
      var band = bands[index]
      if index + 1 < bands.count { band.merge(bands[index + 1]) }
      paired.append(band)
    }
    bands = paired
  }
}
