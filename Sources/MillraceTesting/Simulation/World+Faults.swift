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
    let all = min(max(faults.values.reduce(0, +), 0), 1)
    return FakeFaults(clock: clock, settings: settings, place: ScriptPlace(file, line)) { [self] in
      // Without the draw there is no fault; and a latency without one is the shortest.
      let fault = fault(all) ? part() * all : 1
      return FakeFaults.Draws(fault: fault, latency: part(), slowness: part())
    }
  }
}
