import MillraceTesting
import Testing

@Suite("Recorder", .timeLimit(.minutes(1)))
struct RecorderTests {
  private struct Broken: Error {}

  let recorder = Recorder<Int>()

  @Test("Recorded elements are read in order, and stay in the record")
  func recordedElementsAreReadInOrder() async throws {
    for element in 1...5 { recorder.record(element) }
    #expect(try await recorder.next() == 1)
    #expect(try await recorder.next(3) == [2, 3, 4])
    #expect(try await recorder.next() == 5)
    #expect(recorder.recorded == [1, 2, 3, 4, 5])
  }

  @Test("A task waits for the next element until it is recorded")
  func aTaskWaitsForTheNextElement() async throws {
    let gate = Gate()
    let task = Task {
      try await gate.enter()
      recorder.record(7)
    }
    try await gate.waitForArrivals()
    #expect(recorder.recorded.isEmpty)
    gate.open()
    #expect(try await recorder.next() == 7)
    try await task.value
  }

  @Test("Waiting for the next element ends when the task is cancelled, and no element is lost")
  func waitingIsCancelled() async throws {
    let task = Task { try await recorder.next(2) }
    recorder.record(1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try await recorder.next() == 1)
  }

  @Test("A task that is cancelled already gets no element")
  func aCancelledTaskGetsNoElement() async throws {
    recorder.record(1)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await #expect(throws: CancellationError.self) { try await recorder.next() }
    }
    await task.value
    #expect(try await recorder.next() == 1)
  }

  @Test("A sequence is recorded from when it is given, before the call returns, until it ends")
  func aSequenceIsRecorded() async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    continuation.yield(1)
    continuation.yield(2)
    let recording = recorder.record(from: stream)
    #expect(recorder.recorded == [1, 2])
    continuation.yield(3)
    #expect(try await recorder.next(3) == [1, 2, 3])
    continuation.finish()
    try await recording.value
  }

  @Test("When a sequence has ended, waiting for more throws an error that says so")
  func theEndOfASequenceIsTold() async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    let recording = recorder.record(from: stream)
    let waiting = Task { try await recorder.next(2) }
    continuation.yield(1)
    continuation.finish()
    try await recording.value
    let error = await #expect(throws: RecorderError.self) { try await waiting.value }
    #expect(
      error?.description == """
        The test waits for 2 more of a recorder, but every sequence it records has ended, the last of them without an \
        error, and 1 of its elements are unread; wait for fewer elements, or find out why the sequence ended so early.
        """)
    #expect(try await recorder.next() == 1)
  }

  @Test("The error of a sequence is thrown by its task and told to those who wait")
  func theErrorOfASequenceIsTold() async throws {
    let (stream, continuation) = AsyncThrowingStream.makeStream(of: Int.self)
    let recording = recorder.record(from: stream)
    continuation.finish(throwing: Broken())
    await #expect(throws: Broken.self) { try await recording.value }
    let error = await #expect(throws: RecorderError.self) { try await recorder.next() }
    #expect(error?.underlyingError is Broken)
    #expect(error?.description.contains("with the error Broken()") == true)
  }

  @Test("A recording that is cancelled ends, and the recorder keeps what came before")
  func aRecordingIsCancelled() async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    let recording = recorder.record(from: stream)
    continuation.yield(1)
    #expect(try await recorder.next() == 1)
    recording.cancel()
    _ = await recording.result
    #expect(recorder.recorded == [1])
    await #expect(throws: RecorderError.self) { try await recorder.next() }
  }

  @Test("An element may be nil")
  func anElementMayBeNil() async throws {
    let recorder = Recorder<Int?>()
    recorder.record(nil)
    #expect(try await recorder.next() == nil)
    #expect(recorder.recorded == [nil])
  }

  @Test("Elements of many threads are read by many tasks, each element once")
  func manyRecordAndManyRead() async throws {
    let count = 400
    let read = try await withThrowingTaskGroup(of: [Int].self) { group in
      for _ in 0..<4 {
        group.addTask { [recorder] in
          var read: [Int] = []
          for _ in 0..<count / 4 { read.append(try await recorder.next()) }
          return read
        }
      }
      for start in 0..<4 {
        group.addTask { [recorder] in
          for element in stride(from: start, to: count, by: 4) { recorder.record(element) }
          return []
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(read.sorted() == Array(0..<count))
    #expect(recorder.recorded.sorted() == read.sorted())
  }
}
