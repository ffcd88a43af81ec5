extension World {
  /// Latency and faults for the fakes of this world, in its time; a failing seed is left with as few as fail too.
  ///
  /// - Parameters:
  ///   - latency: how long each call takes before it is answered.
  ///   - faults: of each fault, the part of the calls that meet it, from 0 to 1.
  ///   - file: the file that a failure names.
  ///   - line: the line that a failure names.
  public func faults(
    latency: FakeLatency = .none, _ faults: [FakeFault: Double] = [:], file: StaticString = #filePath,
    line: UInt = #line
  ) -> FakeFaults {
    var settings = FakeFaults.Settings()
    settings.latency = latency
    settings.faults = faults
    // In an order of its own, for a sum of these depends on it.
    let all = min(FakeFault.allCases.reduce(0) { $0 + max(faults[$1] ?? 0, 0) }, 1)
    return FakeFaults(clock: clock, settings: settings, place: ScriptPlace(file, line)) { [self] in
      // As many draws for each call; without the first there is no fault, and a latency without one is the shortest.
      let (isFaulty, which) = (fault(all), part())
      let hasLatency = latency.duration(for: 0) != latency.duration(for: 0.5)
      let time = part(hasLatency ? .extremes : .none)
      if hasLatency { traceDraw("the latency \(latency.duration(for: time))") }
      return FakeFaults.Draws(fault: isFaulty ? which * all : .infinity, latency: time, slowness: part())
    }
  }
}
