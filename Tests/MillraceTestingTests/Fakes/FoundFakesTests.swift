import Testing

@testable import MillraceTesting

@Suite("FoundFakes")
struct FoundFakesTests {
  private struct Box {
    let value: Any
  }

  @Test("A fake is found in values within values, six deep", arguments: [1, 5, 6, 7])
  func depth(count: Int) {
    let fake = FakeCall<Int, Int>("double")
    let gateway = (1...count).reduce(fake as Any) { value, _ in Box(value: value) }
    #expect(FoundFakes(in: gateway).fakes.count == (count <= 6 ? 1 : 0))
  }
}
