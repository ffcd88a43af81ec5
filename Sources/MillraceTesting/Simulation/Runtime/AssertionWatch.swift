#if canImport(Testing)
  import XCTest
#endif

/// Notifies a world of the assertions of XCTest that fail in it, which XCTest has shown by then.
///
/// It is there from the first simulation of a process on. The XCTest of Apple's systems tells of them elsewhere.
enum AssertionWatch {
  static func begin() {
    #if canImport(Testing) && !canImport(Darwin)
      _ = observer
    #endif
  }

  #if canImport(Testing) && !canImport(Darwin)
    private static let observer: Observer = {
      let observer = Observer()
      XCTestObservationCenter.shared.addTestObserver(observer)
      return observer
    }()

    private final class Observer: XCTestObservation, Sendable {
      func testCase(
        _ testCase: XCTestCase, didFailWithDescription description: String, inFile path: String?, atLine line: Int
      ) {
        guard let world = WorldRuntime.ofThisThread?.world else { return }
        let name = path?.split(separator: "/").last ?? ""
        world.fail(WorldFailure(.assertion, "\(name):\(line): \(description)"))
      }
    }
  #endif
}
