import Millrace
import Testing

@testable import MillraceTesting

/// The snippets of docs/model-check.md, as they stand there, and what the page says of them.
@Suite("ModelCheckSnippets")
struct ModelCheckSnippets {
  typealias Records = TestStoreSnippets.Records

  @Test("The check of the page finds what the page says")
  func check() {
    let failures = Failures()
    // snippet.model-check
    let check = ModelCheck(
      initial: Records.State(), interactor: Records(fetch: { [] }),
      actions: { _ in [.reload] },
      mutations: { $0.isLoading ? [.loaded(["a"]), .failure("timed out")] : [] },
      invariants: ["no failure is shown while loading": { !$0.isLoading || $0.failure == nil }],
      reachable: ["loaded": { $0.records == ["a"] }, "failed": { $0.failure != nil }],
      mustLeave: \.isLoading)
    // snippet.end
    failures.collect {
      // snippet.model-check
      check.verify()
      // snippet.end
      return
    }
    #expect(
      failures.messages == [
        """
        "no failure is shown while loading" does not hold after 3 steps:
          State(isLoading: false, records: [], failure: nil)
          send reload → State(isLoading: true, records: [], failure: nil)
          commit failure("timed out") → State(isLoading: false, records: [], failure: "timed out")
          send reload → State(isLoading: true, records: [], failure: "timed out")
        Change decide or reduce so that no step leads there, or the invariant if the state is right.
        """
      ])
    // snippet.graph
    let report = check.run()
    print(report)
    print(report.mermaid)
    let shortest = report.path(to: report.states.count - 1)
    // snippet.end
    #expect(shortest.count == 5)
  }
}
