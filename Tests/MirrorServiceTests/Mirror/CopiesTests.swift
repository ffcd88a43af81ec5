import Foundation
import Testing

@testable import MirrorService

@Suite("Copies")
struct CopiesTests {
  /// Copies as they were written first: in a time that grows with their number.
  private struct SlowCopies {
    var artifacts: [String: Artifact] = [:]

    mutating func add(_ artifact: Artifact, as name: String, capacity: Int) {
      artifacts[name] = artifact
      var cost = artifacts.values.reduce(0) { $0 + $1.cost }
      let order = artifacts.sorted { ($0.value.until, $0.key) < ($1.value.until, $1.key) }
      for other in order where cost > capacity && other.key != name {
        artifacts[other.key] = nil
        cost -= other.value.cost
      }
    }
  }

  @Test("Copies are those of a slow model, whatever is added, replaced and removed, with their number and their bytes")
  func model() throws {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<50 {
      var (copies, slow) = (Copies(), SlowCopies())
      for _ in 0..<200 {
        let name = "\(Int.random(in: 0..<30, using: &random))"
        if Int.random(in: 0..<5, using: &random) == 0 {
          copies.remove(name)
          slow.artifacts[name] = nil
        } else {
          let size = Int.random(in: -1...2_000, using: &random)
          let artifact = Artifact(
            size < 0 ? nil : Data(count: size), until: .seconds(Int.random(in: 0..<20, using: &random)))
          copies.add(artifact, as: name, capacity: 20_000)
          slow.add(artifact, as: name, capacity: 20_000)
        }
        try #require(copies == Copies(slow.artifacts))
        try #require(copies.cost == slow.artifacts.values.reduce(0) { $0 + $1.cost })
      }
      let present = slow.artifacts.values.compactMap(\.bytes)
      #expect(copies.present == present.count && copies.bytes == present.reduce(0) { $0 + $1.count })
    }
  }

  @Test("A copy that is replaced again and again takes no more memory each time")
  func replaced() {
    var copies = Copies()
    for second in 0..<1_000 { copies.add(.of("x", at: .seconds(second)), as: "a") }
    #expect(copies.count == 1 && copies.storedCount < 20)
  }

  @Test("Copies are coded as a dictionary of artifacts")
  func coding() throws {
    let copies = Copies(["a": .of("x"), "b": .of(nil)])
    let data = try JSONEncoder().encode(copies)
    #expect(try JSONDecoder().decode([String: Artifact].self, from: data) == ["a": .of("x"), "b": .of(nil)])
    #expect(try JSONDecoder().decode(Copies.self, from: data) == copies)
    #expect(copies.redacted["a"]?.bytes == Data() && copies.redacted.bytes == 1)
  }
}
