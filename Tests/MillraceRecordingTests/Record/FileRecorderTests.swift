import Foundation
import Millrace
import MillraceTesting
import Testing

@testable import MillraceRecording

@Suite("File recorder", .timeLimit(.minutes(1)))
struct FileRecorderTests {
  let folder: TemporaryFolder
  let clock = TestClock()

  init() throws {
    folder = try TemporaryFolder()
  }

  /// A line without what differs from run to run: the store's number.
  private func plain(_ lines: [String]) -> [String] {
    lines.map { $0.replacing(#/(#\d+)@\d+/#) { "\($0.output.1)" } }
  }

  @Test("A store's actions, calls, commits, ends and states stand in the file, in order and with their times")
  func everything() async throws {
    let recorder = FileRecorder<Till>(initial: Till.State(), to: folder.file(), checkpoint: 2, clock: clock)
    let gate = Gate()
    let till = Till(
      price: { article in
        try await gate.enter()
        return article.count
      }, tape: recorder.tape)
    let store = Store(
      initial: Till.State(), interactor: till, configuration: StoreConfiguration(clock: clock), interceptors: [recorder]
    )
    store.send(.add("tea", price: 2))
    clock.advance(by: .nanoseconds(5))
    let look = store.send(.look("milk"), context: TraceContext(traceparent: "00-1"))
    try await gate.waitForArrivals(1)
    clock.advance(by: .nanoseconds(7))
    gate.open()
    _ = await look.outcome
    _ = await store.send(.refuse).outcome
    await store.shutdown()
    _ = await store.send(.add("late", price: 1)).outcome
    await recorder.finish()

    let expected: [String] = [
      ##"{"kind":"action","at":0,"run":"#5","action":{"add":{"_0":"tea","price":2}}}"##,
      ##"{"kind":"commit","at":0,"revision":1,"run":"#5","mutation":{"added":{"_0":"tea","price":2}}}"##,
      ##"{"kind":"end","at":0,"run":"#5","outcome":"finished"}"##,
      ##"{"kind":"action","at":5,"run":"#9","traceparent":"00-1","action":{"look":{"_0":"milk"}}}"##,
      ##"{"kind":"commit","at":5,"revision":2,"run":"#9","mutation":{"looking":{}}}"##,
      ##"{"kind":"state","at":5,"revision":2,"hash":"d80268425b0174d3","##
        + ##""state":{"articles":["tea"],"customer":"","isLooking":true,"total":2}}"##,
      ##"{"kind":"call","at":12,"took":7,"run":"#9","name":"price","request":"\"milk\"","reply":"4"}"##,
      ##"{"kind":"commit","at":12,"revision":3,"run":"#9","mutation":{"added":{"_0":"milk","price":4}}}"##,
      ##"{"kind":"end","at":12,"run":"#9","outcome":"finished"}"##,
      ##"{"kind":"action","at":12,"run":"#13","action":{"refuse":{}}}"##,
      ##"{"kind":"end","at":12,"run":"#13","outcome":"rejected","error":"Refused()"}"##,
      ##"{"kind":"action","at":12,"run":"#17","accepted":false,"action":{"add":{"_0":"late","price":1}}}"##,
      ##"{"kind":"end","at":12,"run":"#17","outcome":"rejected"}"##,
    ]
    #expect(Array(plain(try folder.lines()).dropFirst()) == expected)
    #expect(recorder.missed == 0)
    let report = try Recording<Till>.replay(contentsOf: folder.file())
    #expect(report.isSame)
    #expect(report.state == Till.State(total: 6, articles: ["tea", "milk"]))
    #expect(report.description == "Replayed 3 commits up to revision 3; 1 recorded state is the same.")
  }

  @Test("An action that a handler sends names the run that sent it, and where the chain began")
  func causes() async throws {
    let recorder = FileRecorder<Till>(initial: Till.State(), to: folder.file())
    let target = Lock<Sender<Till.Action>?>(nil)
    let till = Till(send: { action in _ = await target.withLock { $0 }?.send(action).outcome })
    let store = Store(initial: Till.State(), interactor: till, interceptors: [recorder])
    target.withLock { $0 = store.sender }
    _ = await store.send(.lookForAll(["tea"])).outcome
    target.withLock { $0 = nil }
    await recorder.finish()
    let recording = try Recording<Till>.read(from: folder.file())
    let actions = recording.entries.compactMap { if case .action(let action) = $0 { action } else { nil } }
    let first = try #require(actions.first?.run)
    #expect(actions.map(\.parent) == [nil, first])
    #expect(actions.map(\.root) == [first, first])
  }

  @Test("Two recorders of one store write the same, each to its own file")
  func two() async throws {
    let one = FileRecorder<Till>(initial: Till.State(), to: folder.file("1"), clock: clock, wallTime: { 0 })
    let two = FileRecorder<Till>(initial: Till.State(), to: folder.file("2"), clock: clock, wallTime: { 0 })
    let store = Store(initial: Till.State(), interactor: Till(), interceptors: [one, two])
    for price in 0..<600 { store.send(.add("tea", price: price)) }
    await one.finish()
    await two.finish()
    let lines = try folder.lines("1")
    #expect(lines.count == 1_803)  // The header, three for each action, two states.
    #expect(try folder.lines("2") == lines)
  }

  @Test("A file that has reached its size is kept with .1 behind, and both can be replayed alone")
  func rotation() async throws {
    let recorder = FileRecorder<Till>(initial: Till.State(), to: folder.file(), bytes: 20_000, clock: clock)
    let store = Store(initial: Till.State(), interactor: Till(), interceptors: [recorder])
    for price in 0..<1_000 { store.send(.welcome("\(price)")) }
    await recorder.finish()
    #expect(try folder.names() == ["till.jsonl", "till.jsonl.1"])
    #expect(try Recording<Till>.replay(contentsOf: folder.file()).revision == 1_000)
    let earlier = try Recording<Till>.replay(contentsOf: folder.file("till.jsonl.1"))
    let later = try Recording<Till>.read(from: folder.file())
    #expect(earlier.revision == later.start.revision)
    #expect(earlier.state == later.start.state)
  }

  @Test("A recording that a process left behind is kept when the next process begins")
  func earlierFile() async throws {
    try Data("\(header)\nan entry".utf8).write(to: folder.file())
    try Data().write(to: folder.file("till.jsonl.1"))
    await FileRecorder<Till>(initial: Till.State(), to: folder.file()).finish()
    #expect(try folder.lines("till.jsonl.1") == [header, "an entry"])
    #expect(try folder.lines().count == 1)
  }

  private let header = "{\"millraceRecording\":1,\"one\":1}"

  @Test(
    "Kept recordings stay when a process has recorded nothing before the next one begins",
    arguments: ["", "{\"millrace", "{\"millraceRecording\":1}", "{\"millraceRecording\":1}\n"])
  func nothingRecorded(earlier: String) async throws {
    try Data(earlier.utf8).write(to: folder.file())
    try Data("\(header)\nan entry".utf8).write(to: folder.file("till.jsonl.1"))
    for _ in 0..<3 { await FileRecorder<Till>(initial: Till.State(), to: folder.file()).finish() }
    #expect(try folder.lines("till.jsonl.1") == [header, "an entry"])
    #expect(try Recording<Till>.read(from: folder.file()).entries.isEmpty)
    #expect(try folder.names() == ["till.jsonl", "till.jsonl.1"])
  }

  @Test("A second recorder leaves the file to the first one, and says so; once that has ended it takes its place")
  func secondRecorder() async throws {
    let first = FileRecorder<Till>(initial: Till.State(), to: folder.file(), bytes: 2_000)
    let store = Store(initial: Till.State(), interactor: Till(), interceptors: [first])
    for part in 0..<2 {
      // The file is another one each time, for it has reached its size.
      for price in 0..<50 { store.send(.add("tea", price: price)) }
      await first.flush()
      let lines = try folder.lines()
      let errors = Recorder<RecordingError>()
      let second = FileRecorder<Till>(initial: Till.State(), to: folder.file(), report: { errors.record($0) })
      let isWhole = await second.finish()
      #expect(!isWhole)
      #expect(
        errors.recorded.map(\.description) == [
          """
          '\(folder.file().path)' is being written by another recorder, in this process or in another one, and is left to that; \
          give each recorder a file of its own. The recording has ended here, and the store continues without it.
          """
        ])
      #expect(try folder.lines() == lines, "\(part)")
    }
    #expect(await first.finish())
    #expect(await FileRecorder<Till>(initial: Till.State(), to: folder.file()).finish())
    #expect(try folder.lines().count == 1)
  }

  @Test("A file that is kept is not put in the place of one that another recorder writes, and that is said at once")
  func keptIsWritten() async throws {
    let first = FileRecorder<Till>(initial: Till.State(), to: folder.file("till.jsonl.1"))
    let store = Store(initial: Till.State(), interactor: Till(), interceptors: [first])
    store.send(.add("tea", price: 1))
    await first.flush()
    let errors = Recorder<RecordingError>()
    let second = FileRecorder<Till>(initial: Till.State(), to: folder.file(), report: { errors.record($0) })
    #expect(await second.finish() == false)
    let path = folder.file("till.jsonl.1").path
    #expect(
      errors.recorded.map { $0.description.hasPrefix("'\(path)' is being written by another recorder") } == [true])
    #expect(await first.finish(with: store.snapshot))
    #expect(try Recording<Till>.replay(contentsOf: folder.file("till.jsonl.1")).verdict == .same)
    #expect(try folder.names() == ["till.jsonl.1"])
  }

  @Test("A file that is moved or removed while it is written is reported once, and the next commit begins a new one")
  func movedAway() async throws {
    let errors = Recorder<RecordingError>()
    let recorder = FileRecorder<Till>(initial: Till.State(), to: folder.file(), report: { errors.record($0) })
    let store = Store(initial: Till.State(), interactor: Till(), interceptors: [recorder])
    store.send(.add("tea", price: 1))
    await recorder.flush()
    recorder.checkFile()
    try FileManager.default.moveItem(at: folder.file(), to: folder.file("moved"))
    recorder.checkFile()
    recorder.checkFile()
    await recorder.flush()
    for _ in 0..<2 {
      store.send(.add("milk", price: 2))
      await recorder.flush()
    }
    let moved = try Recording<Till>.replay(contentsOf: folder.file("moved"))
    #expect(moved.verdict == .same)
    #expect(try Recording<Till>.read(from: folder.file()).start.revision == moved.revision)
    #expect(errors.recorded.map(\.code) == [.moved])
    #expect(
      errors.recorded.first?.description == """
        '\(folder.file().path)' was moved or removed while a recording was written to it; the recording continues in a new file of \
        that name with the next commit.
        """)
    try FileManager.default.removeItem(at: folder.file())
    for _ in 0..<2 {
      store.send(.add("bread", price: 3))
      await recorder.flush()
    }
    #expect(await recorder.finish(with: store.snapshot))
    // Without a look at the file, it is the first write that notices it.
    #expect(errors.recorded.map(\.code) == [.moved, .moved])
    #expect(try Recording<Till>.read(from: folder.file()).start.state.articles.last == "bread")
    #expect(try folder.names() == ["moved", "till.jsonl"])
  }

  @Test("A recorder that cannot begin says why before the store does anything")
  func waitUntilOpen() async throws {
    let first = FileRecorder<Till>(initial: Till.State(), to: folder.file())
    try await first.waitUntilOpen()
    let second = FileRecorder<Till>(initial: Till.State(), to: folder.file(), report: { _ in })
    let error = await #expect(throws: RecordingError.self) { try await second.waitUntilOpen() }
    #expect(error?.description.hasSuffix("give each recorder a file of its own.") == true)
    let third = FileRecorder<Till>(
      initial: Till.State(), to: folder.file("none").appending(path: "x"), report: { _ in })
    await #expect(throws: RecordingError.self) { try await third.waitUntilOpen() }
    await first.finish()
  }

  @Test("A recording is not written over the file of a recorder that has not ended")
  func writtenOver() async throws {
    let recorder = FileRecorder<Till>(initial: Till.State(), to: folder.file())
    await recorder.flush()
    let error = #expect(throws: RecordingError.self) {
      try RecordingFormatTests.recording.write(to: folder.file())
    }
    #expect(error?.description.contains("is being written by another recorder") == true)
    #expect(await recorder.finish())
    try RecordingFormatTests.recording.write(to: folder.file())
    #expect(try folder.lines() == RecordingFormatTests.lines)
  }

  @Test("A state as large as the file may be does not fill it anew with each commit")
  func largeState() async throws {
    let state = Till.State(customer: String(repeating: "x", count: 4_000))
    let recorder = FileRecorder<Till>(initial: state, to: folder.file(), bytes: 100, checkpoint: 1_000)
    let store = Store(initial: state, interactor: Till(), interceptors: [recorder])
    for _ in 0..<300 {
      store.send(.add("tea", price: 1))
      await recorder.flush()
    }
    await recorder.finish()
    let earlier = try Recording<Till>.replay(contentsOf: folder.file("till.jsonl.1"))
    #expect(earlier.isSame)
    #expect(earlier.commits >= 10)
    #expect(try Recording<Till>.read(from: folder.file()).start.revision == earlier.revision)
  }

  @Test("The last state is recorded at the end, so that a short recording is compared too")
  func lastState() async throws {
    let recorder = FileRecorder<Till>(initial: Till.State(), to: folder.file())
    let store = Store(initial: Till.State(), interactor: Till(), interceptors: [recorder])
    store.send(.add("tea", price: 2))
    store.send(.welcome("Ada"))
    await store.shutdown()
    #expect(await recorder.finish(with: store.snapshot))
    #expect(await recorder.finish(with: store.snapshot))
    let recording = try Recording<Till>.read(from: folder.file())
    #expect(Self.kinds(recording) == "action commit 1 end action commit 2 end state")
    let report = try recording.replay()
    #expect(report.verdict == .same)
    #expect(report.description == "Replayed 2 commits up to revision 2; 1 recorded state is the same.")
  }

  @Test("A file that is full when it ends is not put aside for one with nothing in it")
  func lastStateOfFullFile() async throws {
    let recorder = FileRecorder<Till>(initial: Till.State(), to: folder.file(), bytes: 100)
    let store = Store(initial: Till.State(), interactor: Till(), interceptors: [recorder])
    for _ in 0..<3 { store.send(.add("tea", price: 2)) }
    await recorder.finish(with: store.snapshot)
    #expect(try Recording<Till>.replay(contentsOf: folder.file()).verdict == .same)
  }

  @Test("A last state of another revision than the last commit, or of the beginning, is left out")
  func otherLastState() async throws {
    let early = FileRecorder<Till>(initial: Till.State(), to: folder.file("early"))
    let store = Store(initial: Till.State(), interactor: Till(), interceptors: [early])
    let beginning = await store.snapshot
    let none = FileRecorder<Till>(initial: Till.State(), to: folder.file("none"))
    await none.finish(with: beginning)
    #expect(try folder.lines("none").count == 1)
    store.send(.add("tea", price: 2))
    await early.finish(with: beginning)
    #expect(try Self.kinds(Recording<Till>.read(from: folder.file("early"))) == "action commit 1 end")
  }

  @Test(
    "A file that is no recording is neither moved nor removed, and that is reported",
    arguments: ["till.jsonl", "till.jsonl.1"])
  func otherFile(name: String) async throws {
    try Data("\(header)\nan entry".utf8).write(to: folder.file())
    try Data("notes of the year".utf8).write(to: folder.file(name))
    let names = try folder.names()
    let errors = Recorder<RecordingError>()
    await FileRecorder<Till>(initial: Till.State(), to: folder.file(), report: { errors.record($0) }).finish()
    #expect(
      errors.recorded.map(\.description) == [
        """
        '\(folder.file(name).path)' is no recording, and is left as it is; give the recording the name of a file of its own. The \
        recording has ended here, and the store continues without it.
        """
      ])
    #expect(try folder.names() == names)
    #expect(try folder.lines(name) == ["notes of the year"])
  }

  @Test("A folder at the place of the file, or behind it, stays with all that is in it")
  func folderInTheWay() async throws {
    let inside = folder.file("till.jsonl").appending(path: "precious")
    try FileManager.default.createDirectory(at: folder.file("till.jsonl"), withIntermediateDirectories: true)
    try Data("kept".utf8).write(to: inside)
    let errors = Recorder<RecordingError>()
    await FileRecorder<Till>(initial: Till.State(), to: folder.file(), report: { errors.record($0) }).finish()
    #expect(errors.recorded.count == 1)
    #expect(errors.recorded.first?.description.contains("is no ordinary file, and is left as it is") == true)
    #expect(FileManager.default.fileExists(atPath: inside.path))
  }

  @Test("Only its owner may read a recording")
  func mode() async throws {
    await FileRecorder<Till>(initial: Till.State(), to: folder.file()).finish()
    let mode = try FileManager.default.attributesOfItem(atPath: folder.file().path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test("A file that cannot be written is reported once, in a sentence, and the store continues")
  func unwritable() async throws {
    let errors = Recorder<RecordingError>()
    let url = folder.file("missing/till.jsonl")
    let recorder = FileRecorder<Till>(initial: Till.State(), to: url, report: { errors.record($0) })
    let store = Store(initial: Till.State(), interactor: Till(), interceptors: [recorder])
    for _ in 0..<100 { store.send(.add("tea", price: 1)) }
    await recorder.finish()
    #expect(await store.state.total == 100)
    #expect(
      errors.recorded.map(\.description) == [
        """
        The recording cannot be written to '\(url.path)': No such file or directory; free space there, or choose another file. \
        The recording has ended here, and the store continues without it.
        """
      ])
    #expect(errors.recorded.map(\.code) == [.unwritable])
  }

  @Test("A recorder that is put into a store later, or back, has a gap there and continues with the next commit")
  func latecomer() async throws {
    let recorder = FileRecorder<Till>(initial: Till.State(), to: folder.file(), clock: clock)
    let store = Store(initial: Till.State(), interactor: Till())
    store.send(.add("tea", price: 1))
    store.setInterceptors([recorder])
    store.send(.add("milk", price: 2))
    store.send(.add("sugar", price: 3))
    store.setInterceptors([])
    store.send(.add("salt", price: 4))
    store.setInterceptors([recorder])
    store.send(.add("bread", price: 5))
    await recorder.finish()
    let recording = try Recording<Till>.read(from: folder.file())
    #expect(Self.kinds(recording) == "action gap commit 2 state end action commit 3 end action gap commit 5 state end")
    let report = try recording.replay()
    #expect(report.state.total == 15)
    #expect(
      report.description == """
        Replayed 1 commit up to revision 5, but nothing was compared and nothing is proven: no state is recorded behind it. End \
        a recorder with finish(with: store.snapshot), or give it a smaller checkpoint. 2 commits behind gaps could not be \
        replayed.
        """)
  }

  /// The kinds of the entries, commits with their revisions.
  static func kinds(_ recording: Recording<Till>) -> String {
    recording.entries.map { entry in
      switch entry {
      case .action: "action"
      case .call: "call"
      case .commit(let commit): "commit \(commit.revision)"
      case .rest(let rest): "rest after \(rest.attempt)"
      case .step(let step): "step \(step.name)"
      case .end: "end"
      case .state: "state"
      case .gap(let gap): gap.missed == 0 ? "gap" : "gap of \(gap.missed)"
      }
    }.joined(separator: " ")
  }
}
