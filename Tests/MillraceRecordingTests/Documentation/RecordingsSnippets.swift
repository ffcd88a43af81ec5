import Foundation
import Millrace
import MillraceRecording
import MillraceTesting
import Testing

/// The snippets of docs/recordings.md, as they stand there.
enum RecordingsSnippets {
  protocol RecordsGateway: Sendable {
    func fetch(_ query: String) async throws -> [String]
  }

  // snippet.Records
  struct Records: Interactor {
    struct State: Codable, Sendable, Equatable {
      var records: [String] = []
      var user = ""
    }

    enum Action: Codable, Sendable {
      case logIn(String)
      case search(String)
    }

    enum Mutation: Codable, Sendable {
      case loggedIn(String)
      case found([String])
    }

    let gateway: any RecordsGateway
    var tape = GatewayTape.off

    func decide(_ action: Action, state: State) -> Decision<Mutation> {
      if case .logIn(let user) = action { .mutate(.loggedIn(user)) } else { .handle }
    }

    func handle(_ action: Action, state: State) -> Effect<Records> {
      guard case .search(let query) = action else { return .none }
      return Effect { run in
        let records = try await tape.call("fetch", query) { try await gateway.fetch(query) }
        run.emit(.found(records))
      }
    }

    static func reduce(into state: inout State, mutation: Mutation) {
      switch mutation {
      case .loggedIn(let user): state.user = user
      case .found(let records): state.records = records
      }
    }
  }
  // snippet.end

  struct NoGateway: RecordsGateway {
    func fetch(_ query: String) async throws -> [String] { throw CancellationError() }
  }

  struct LiveGateway: RecordsGateway {
    func fetch(_ query: String) async throws -> [String] { ["\(query) 1", "\(query) 2"] }
  }

  static func record(to url: URL, _ gateway: any RecordsGateway, serve: (Store<Records>) async -> Void) async {
    // snippet.record
    let recorder = FileRecorder<Records>(initial: Records.State(), to: url)
    let store = Store(
      initial: Records.State(), interactor: Records(gateway: gateway, tape: recorder.tape), interceptors: [recorder])
    // snippet.end
    await serve(store)
    // snippet.record-shutdown
    await store.shutdown(drainFor: .seconds(5))
    await recorder.finish(with: store.snapshot)
    // snippet.end
  }

  static func ring(_ url: URL) throws {
    // snippet.record-State
    let recorder = RingRecorder<Records>(initial: Records.State(), keeping: 10_000)
    // Something went wrong:
    try recorder.recording.write(to: url)
    // snippet.end
  }

  static func redacting(to url: URL) -> FileRecorder<Records> {
    // snippet.leave-secrets-out
    let redaction = Redaction<Records>(
      action: { if case .logIn = $0 { .logIn("somebody") } else { $0 } },
      mutation: { if case .loggedIn = $0 { .loggedIn("somebody") } else { $0 } },
      state: { state in
        var state = state
        if !state.user.isEmpty { state.user = "somebody" }
        return state
      })
    let recorder = FileRecorder<Records>(initial: Records.State(), to: url, redaction: redaction)
    // snippet.end
    return recorder
  }

  // snippet.Window
  struct Window: Codable, Sendable {
    private(set) var numbers: [Int] = []
    private(set) var next = 0

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      numbers = try container.decode([Int].self, forKey: .numbers)
      next = try container.decode(Int.self, forKey: .next)
      guard (0...numbers.count).contains(next) else {
        throw DecodingError.dataCorruptedError(
          forKey: .next, in: container, debugDescription: "It lies within the numbers.")
      }
    }
  }
  // snippet.end

  static func replay(_ url: URL) throws -> Bool {
    // snippet.replay
    let report = try Recording<Records>.replay(contentsOf: url)
    print(report)
    return report.isSame
    // snippet.end
  }

  static func resimulate(_ url: URL) async throws -> Bool {
    // snippet.resimulate
    let recording = try Recording<Records>.read(from: url)
    let report = await recording.resimulate { tape in Records(gateway: NoGateway(), tape: tape) }
    print(report)
    // snippet.end
    return report.isSame
  }

  static func travel(_ recording: Recording<Records>) async throws {
    // snippet.player
    var cursor = try RecordingCursor(recording)
    try cursor.go(to: 1)
    print(cursor.state, cursor.commit?.mutation as Any, cursor.action?.action as Any)
    while cursor.step() { print(cursor.revision) }
    cursor.stepBack()
    // snippet.end
    // snippet.play
    for await snapshot in cursor.play(.recorded(speed: 10)) { print(snapshot.revision, snapshot.state) }
    // snippet.end
  }

  static func read(_ url: URL) throws -> Int {
    var count = 0
    // snippet.file
    var reader = try RecordingReader<Records>(url, acceptsCutEnd: true)
    while let entry = try reader.next() {
      if case .call(let call) = entry, call.took > 1_000_000_000 { count += 1 }
    }
    if let cut = reader.cut { print(cut) }
    // snippet.end
    return count
  }
}

@Suite("The snippets of docs/recordings.md", .timeLimit(.minutes(1)))
struct RecordingsSnippetsTests {
  @Test("Recordings of these actions are replayed, resimulated, travelled and read")
  func recordings() async throws {
    let folder = try TemporaryFolder()
    let url = folder.file()
    await RecordingsSnippets.record(to: url, RecordingsSnippets.LiveGateway()) { store in
      store.send(.logIn("Ada"))
      _ = await store.send(.search("tea")).outcome
    }
    #expect(try RecordingsSnippets.replay(url))
    #expect(try await RecordingsSnippets.resimulate(url))
    try await RecordingsSnippets.travel(.read(from: url))
    #expect(try RecordingsSnippets.read(url) == 0)
    try RecordingsSnippets.ring(folder.file("ring"))
    // Nothing has happened in it, so nothing is proven.
    #expect(try !RecordingsSnippets.replay(folder.file("ring")))
  }

  @Test("The value that they check refuses an index beyond its array")
  func checked() throws {
    func window(_ next: Int) throws -> RecordingsSnippets.Window {
      try JSONDecoder().decode(RecordingsSnippets.Window.self, from: Data("{\"numbers\":[1,2],\"next\":\(next)}".utf8))
    }
    #expect(try window(2).next == 2)
    for next in [-1, 3] { #expect(throws: DecodingError.self) { try window(next) } }
  }

  @Test("The redaction that they show is consistent, and leaves no name in the file")
  func redaction() async throws {
    let folder = try TemporaryFolder()
    let recorder = RecordingsSnippets.redacting(to: folder.file())
    let store = Store(
      initial: RecordingsSnippets.Records.State(),
      interactor: RecordingsSnippets.Records(gateway: RecordingsSnippets.LiveGateway()), interceptors: [recorder])
    for _ in 0..<300 { store.send(.logIn("Ada")) }
    await recorder.finish()
    #expect(try !folder.lines().joined().contains("Ada"))
    #expect(try RecordingsSnippets.replay(folder.file()))
  }
}
