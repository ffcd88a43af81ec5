import Testing

@testable import MillraceLoad

@Suite("ArrivalTimes")
struct ArrivalTimesTests {
  private func times(_ schedule: LoadSchedule, seconds: Int, seed: UInt64 = 0) -> [Double] {
    ArrivalTimes(schedule, for: .seconds(seconds), seed: seed).map { Double($0) / 1e9 }
  }

  @Test("A constant rate is evenly spaced from the start on, and does not drift")
  func constant() {
    let times = ArrivalTimes(.constant(4), for: .seconds(1), seed: 0).map { $0 }
    #expect(times == [0, 250_000_000, 500_000_000, 750_000_000])
    #expect(self.times(.constant(3), seconds: 100_000).last.map { abs($0 - (100_000 - 1.0 / 3)) < 1e-6 } == true)
  }

  @Test("A ramp sends as many requests as the mean of its rates, and twice as many in its second half as in its first")
  func ramp() {
    let times = times(.ramp(from: 100, to: 300), seconds: 10)
    #expect(times.count == 2_000)
    #expect(times.count { $0 < 5 } == 750)
  }

  @Test("A ramp from 0 begins, and one to 0 ends")
  func rampFromAndToZero() {
    #expect(times(.ramp(from: 0, to: 100), seconds: 2).count == 100)
    #expect(times(.ramp(from: 100, to: 0), seconds: 2).count == 100)
  }

  @Test("Each step keeps its rate for an equal part of the run")
  func steps() {
    let times = times(.steps([10, 20, 30]), seconds: 3)
    let counts = (0..<3).map { second in times.count { Int($0) == second } }
    #expect(counts == [10, 20, 30])
  }

  @Test("A part without requests is passed over")
  func emptyStep() {
    let times = times(.steps([10, 0, 10]), seconds: 3)
    #expect((0..<3).map { second in times.count { Int($0) == second } } == [10, 0, 10])
  }

  @Test("A spike keeps its peak for the tenth in the middle")
  func spike() {
    let times = times(.spike(100, peak: 1_000), seconds: 10)
    #expect(times.count { $0 < 4.5 } == 450)
    #expect(times.count { $0 >= 4.5 && $0 < 5.5 } == 1_000)
    #expect(times.count == 1_900)
  }

  @Test("Random gaps have the mean and the standard deviation of an exponential distribution")
  func poisson() {
    let times = times(.poisson(1_000), seconds: 100)
    let gaps = zip(times.dropFirst(), times).map { $0 - $1 }
    let mean = gaps.reduce(0, +) / Double(gaps.count)
    let variance = gaps.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(gaps.count)
    #expect(abs(mean - 0.001) < 0.00001)
    #expect(abs(variance.squareRoot() - 0.001) < 0.00002)
    // A part e^-3 of the gaps is longer than three means.
    #expect(abs(Double(gaps.count { $0 > 0.003 }) / Double(gaps.count) - 0.0498) < 0.003)
  }

  @Test("A random ramp sends as many requests as an even one, on average")
  func randomRamp() {
    #expect(abs(times(.ramp(from: 0, to: 2_000).randomly(), seconds: 100).count - 100_000) < 1_500)
  }

  @Test("Random times are the same for the same seed, and others for another one")
  func seeds() {
    #expect(times(.poisson(100), seconds: 1, seed: 1) == times(.poisson(100), seconds: 1, seed: 1))
    #expect(times(.poisson(100), seconds: 1, seed: 1) != times(.poisson(100), seconds: 1, seed: 2))
  }

  @Test("Times never go back, and lie within the run")
  func order() {
    for schedule in [LoadSchedule.poisson(900), .ramp(from: 1, to: 999), .steps([1, 500, 3]), .spike(7, peak: 700)] {
      let times = ArrivalTimes(schedule, for: .seconds(7), seed: 3).map { $0 }
      #expect(zip(times, times.dropFirst()).allSatisfy { $0 <= $1 })
      #expect(times.allSatisfy { (0..<7_000_000_000).contains($0) })
    }
  }

  @Test("The mean number of requests of a schedule is that of its times")
  func requests() {
    for schedule in [LoadSchedule.constant(30), .ramp(from: 10, to: 50), .steps([10, 20]), .spike(10, peak: 90)] {
      #expect(abs(Double(times(schedule, seconds: 20).count) - schedule.requests(in: .seconds(20))) <= 1)
    }
  }
}
