import Millrace
import MillraceTesting
import Testing

@Suite("Admission from inside", .timeLimit(.minutes(1)))
struct AdmissionReentrancyTests {
  let store = Store()

  @Test("L5: an action sent from inside reduce is queued behind the decision that is being committed")
  func sendFromReduceIsQueued() async throws {
    let inner = Recorder<Receipt>()
    store.send(
      .decide { [store] _ in
        .mutate([
          ScriptedInteractor.Mutation("a") {
            inner.record(store.send(.commit("inner 1")))
            inner.record(store.send(.commit("inner 2")))
          },
          "b",
        ])
      })
    #expect(await store.log == ["a", "b", "inner 1", "inner 2"])
    for (receipt, revision) in zip(try await inner.next(2), 3...) {
      #expect(await receipt.outcome.kind == .finished)
      #expect(await receipt.lastRevision == revision)
    }
  }

  @Test("L5: an action sent from inside decide is queued behind what that decides")
  func sendFromDecideIsQueued() async {
    let depth = Box(0)
    let deepest = Box(0)
    let inner = ScriptedInteractor.Action.decide { _ in
      deepest.update { [now = depth.value] in $0 = max($0, now) }
      return .mutate("inner")
    }
    store.send(
      .decide { [store] _ in
        depth.value += 1
        store.send(inner)
        store.send(contentsOf: [inner, inner])
        depth.value -= 1
        return .mutate("outer")
      })
    #expect(await store.log == ["outer", "inner", "inner", "inner"])
    #expect(deepest.value == 0)
  }

  @Test("L5: an action sent from closing is queued behind the closing mutation")
  func sendFromClosingIsQueued() async {
    var rejected = ScriptedInteractor.Action.decide { _ in .reject(Mishap()) }
    rejected.close = { [store] _ in
      store.send(.commit("sent from closing"))
      return "closed"
    }
    store.send(rejected)
    #expect(await store.log == ["closed", "sent from closing"])
  }

  @Test("L5: an action sent from a handler starts its own handler behind the sender's, not inside it")
  func sendFromAHandlerIsNotNested() async {
    let order = Recorder<String>()
    let inner = Box<Receipt?>(nil)
    let outer = store.send(
      .handle { [store] _ in
        order.record("outer begins")
        inner.value = store.send(.handle { _ in order.record("inner") })
        order.record("outer ends")
      })
    #expect(await outer.outcome.kind == .finished)
    #expect(await inner.value?.outcome.kind == .finished)
    #expect(order.recorded == ["outer begins", "outer ends", "inner"])
  }

  @Test("L5: an observer sends to the store it observes, and sees what that leads to")
  func sendFromAnObserver() async {
    let observer = Task { [store] in
      for await state in store.states {
        if state.log.count == 100 { break }
        store.send(.commit(ScriptedInteractor.Mutation("\(state.log.count)")))
      }
    }
    await observer.value
    #expect(await store.log == (0..<100).map(String.init))
  }

  @Test("L5: an action sent from a predicate is queued behind the commit that is judged")
  func sendFromAPredicate() async throws {
    let sends = Box(0)
    let waiting = Task { [store] in
      try await store.wait { state in
        if state.log == ["a"] {
          sends.value += 1
          store.send(.commit("from the predicate"))
        }
        return state.log.count == 2
      }
    }
    store.send(.commit("a"))
    _ = try await waiting.value
    #expect(sends.value == 1)
    #expect(await store.log == ["a", "from the predicate"])
  }

  @Test("L5: cancel and cancelAll from inside a decision are done right after it, before what was sent meanwhile")
  func cancelFromInside() async throws {
    let gate = Gate()
    let run = store.send(ScriptedInteractor.Action.handle { _ in try await gate.enter() }.closed(as: "run"))
    let other = store.send(ScriptedInteractor.Action.handle { _ in try await gate.enter() }.closed(as: "other"))
    try await gate.waitForArrivals(2)
    store.send(
      .decide { [store] _ in
        store.send(.commit("sent before"))
        run.cancel()
        return .mutate(["a", "b"])
      })
    #expect(await run.outcome.kind == .cancelled)
    #expect(await store.log == ["a", "b", "run: cancelled", "sent before"])
    store.send(
      .commit(
        ScriptedInteractor.Mutation("c") { [store] in
          store.send(ScriptedInteractor.Action.commit("sent before cancelAll").closed())
          store.cancelAll()
        }))
    #expect(await other.outcome.kind == .cancelled)
    #expect(await store.log.suffix(2) == ["c", "other: cancelled"])
  }

  @Test("L5: shutdown from a handler ends that very run, and does not wait for it")
  func shutdownFromAHandler() async {
    let run = store.send(
      ScriptedInteractor.Action.handle { [store] run in
        await store.shutdown()
        #expect(!run.emit("too late"))
      }.closed())
    #expect(await run.outcome.kind == .shutDown)
    #expect(await store.log == ["closed: shutDown"])
  }

  @Test("L5: a sender does not wait for the thread that has the turn")
  func noSenderWaits() async throws {
    let (latch, thread) = try await store.block()
    let receipt = store.send(.commit("sent"))  // It would hang here: only the next lines release the other thread.
    let batch = store.send(contentsOf: [.commit("batch")])
    latch.open()
    #expect(await receipt.outcome.kind == .finished)
    #expect(await batch.outcomes.map(\.kind) == [.finished])
    await thread.value
  }

  @Test("L5: two stores whose handlers and reducers send to each other do not deadlock")
  func twoStoresSendToEachOther() async {
    let other = Store()
    await withTaskGroup { group in
      for (here, there) in [(store, other), (other, store)] {
        group.addTask {
          for _ in 0..<500 {
            here.send(.commit(ScriptedInteractor.Mutation("own") { there.send(.commit("from the other's reducer")) }))
            _ = await here.send(.handle { _ in there.send(.commit("from the other's handler")) }).outcome
          }
        }
      }
    }
    for each in [store, other] {
      let log = await each.log
      #expect(log.count == 1_500)
      #expect(log.count { $0 == "from the other's reducer" } == 500)
    }
  }

}
