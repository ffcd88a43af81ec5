/// The steps of a resimulation: the entries, and before them the beginnings of the calls whose replies they are.
///
/// Without the beginnings the recorded time would leap over the moment at which a handler called, and what it waited for until
/// then would be over together with what came much later.
struct ResimulationScript: Sendable {
  enum Step: Sendable, Equatable {
    /// The call of this number begins, at this time.
    case begin(call: Int, at: Int64)
    /// The entry of this index.
    case entry(Int)
    /// The entry of this index, which is the reply to the call of this number.
    case reply(Int, call: Int)
  }

  let steps: [Step]

  /// - Parameters:
  ///   - times: when each entry was.
  ///   - calls: the entries that are replies, by their index, and how long each call took.
  init(times: [Int64], calls: [(entry: Int, took: Int64)]) {
    let begins = calls.enumerated().map { number, call in
      let at = times[call.entry] - call.took
      return (place: ResimulationScript.place(of: at, before: call.entry, in: times), at: at, number: number)
    }.sorted { ($0.place, $0.at, $0.number) < ($1.place, $1.at, $1.number) }
    var (begun, replied) = (0, 0)
    var steps: [Step] = []
    for index in times.indices {
      while begun < begins.count, begins[begun].place == index {
        steps.append(.begin(call: begins[begun].number, at: begins[begun].at))
        begun += 1
      }
      if replied < calls.count, calls[replied].entry == index {
        steps.append(.reply(index, call: replied))
        replied += 1
      } else {
        steps.append(.entry(index))
      }
    }
    self.steps = steps
  }

  /// The first entry that was later than a time, so that all that can have led to a call stands before it.
  private static func place(of at: Int64, before entry: Int, in times: [Int64]) -> Int {
    var (low, high) = (0, entry)
    while low < high {
      let middle = (low + high) / 2
      if times[middle] <= at { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
