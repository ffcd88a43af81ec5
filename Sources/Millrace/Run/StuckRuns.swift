/// The judgement of which open runs are stuck, for operators.
struct StuckRuns {
  /// The number of runs from which on their times say what is usual.
  private static let enough = 100

  /// The age at which a run is stuck while the usual times are not known.
  private static let firstLimit: Duration = .seconds(30)

  /// The least age at which a run is stuck, so that a run of a millisecond is none among runs of microseconds.
  private static let leastLimit: Duration = .seconds(1)

  /// The number of attempts, or of processes, in a row that a run of which has failed is stuck.
  private static let failures = 2

  private let times: RunTimes
  private var limits: [NamedPlans.Index: Duration] = [:]
  private var unnamedLimit: Duration?

  init(_ times: RunTimes) { self.times = times }

  /// Whether a run is stuck: it has failed twice in a row, cannot be decoded, or is older than ten times the 99th percentile of the
  /// runs with its plan's name; without a name, of all waits and handlers of the store.
  mutating func contain(
    planNamed name: NamedPlans.Index?, age: Duration?, attempt: Int, deaths: Int, stage: OpenRunStage
  ) -> Bool {
    let failed = stage == .nextAttempt ? attempt : attempt - 1
    if failed >= Self.failures || deaths >= Self.failures { return true }
    switch stage {
    case .unreadable: return true
    // It waits for what its handler asked for, and holds no slot.
    case .sleep, .condition: return false
    default: return age.map { $0 > limit(ofPlanNamed: name) } ?? false
    }
  }

  private mutating func limit(ofPlanNamed name: NamedPlans.Index?) -> Duration {
    if let known = name.map({ limits[$0] }) ?? unnamedLimit { return known }
    let usual = name.map { [times.ofPlans(named: $0)] } ?? [times.wait, times.handle]
    let limit =
      usual.contains { $0.count < Self.enough }
      ? Self.firstLimit : max(usual.reduce(.zero) { $0 + ($1.quantile(0.99) ?? .zero) } * 10, Self.leastLimit)
    if let name { limits[name] = limit } else { unnamedLimit = limit }
    return limit
  }
}

extension RunTimes {
  fileprivate func ofPlans(named name: NamedPlans.Index) -> Histogram {
    named.indices.contains(Int(name)) ? named[Int(name)] : Histogram()
  }

  fileprivate mutating func record(_ nanoseconds: Int64, ofPlanNamed name: NamedPlans.Index) {
    while named.count <= Int(name) { named.append(Histogram()) }
    named[Int(name)].record(nanoseconds: nanoseconds)
  }
}

extension RunRegistry {
  /// Records the time of a run that ends, if its plan has a name and a handler was begun for it in this process.
  @usableFromInline
  func recordTime(of handle: Scheduler.Handle) {
    guard let name = scheduler.planName(of: handle), scheduler.wasStarted(handle),
      let run = tables.records[Int(handle)], run.takenUp?.isRestored != true, let time = age(of: run, handle)
    else { return }
    tables.times.record(time, ofPlanNamed: name)
  }
}
