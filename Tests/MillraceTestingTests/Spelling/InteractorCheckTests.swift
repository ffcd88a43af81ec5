#if DEBUG && os(Linux)
  import Millrace
  import Testing

  @testable import MillraceTesting

  @Suite("Spelling of an interactor")
  struct InteractorCheckTests {
    @Test(
      "A method that is almost the protocol's is found in interactors of all kinds",
      arguments: [
        (Misspelt.Letter.self, ["Letter.decid(_:state:) decide(_:state:) and is not"]),
        (
          Misspelt.Labels.self,
          ["Labels.plan(_:) plan(for:state:) and is not", "Labels.closing(_:_:) closing(_:outcome:) and is not"]
        ),
        (
          Misspelt.Result.self,
          ["Result.decide(_:state:) and returns another type", "Result.closing(_:outcome:) and returns another type"]
        ),
        (
          Misspelt.Effects.self,
          [
            "Effects.decide(_:state:) and is async", "Effects.plan(for:state:) and throws",
            "Effects.closing(_:outcome:) and is static",
          ]
        ),
        (
          Misspelt.Parameters.self,
          [
            "Parameters.decide(_:state:) and takes other types", "Parameters.plan(for:state:) and takes other types",
            "Parameters.closing(_:outcome:) and takes other types",
          ]
        ),
        (Misspelt.Word.self, ["Word.close(_:outcome:) closing(_:outcome:) and is not"]),
        (Misspelt.Stateful.self, ["Stateful.plan(for:in:) plan(for:state:) and is not"]),
        (Misspelt.Stateless.self, ["Stateless.plan(for:) plan(for:state:) and is not"]),
        (Misspelt.Secret.self, ["Secret.closin(_:outcome:) closing(_:outcome:) and is not"]),
        (Misspelt.Extended.self, ["Extended.closing(action:outcome:) closing(_:outcome:) and is not"]),
        (
          Misspelt.Outer<Int>.Generic<String>.self,
          [
            "Outer.Generic.decid(_:state:) decide(_:state:) and is not",
            "Outer.Generic.closing(_:outcome:) and returns another type",
          ]
        ),
        (Misspelt.Class.self, ["Class.plans(for:) plan(for:state:) and is not"]),
        (Misspelt.Actor.self, ["Actor.deside(_:state:) decide(_:state:) and is not"]),
        (Misspelt.Enum.self, ["Enum.planFor(_:_:) plan(for:state:) and is not"]),
        (Outcome.Away.self, ["Outcome.Away.plan(_:) plan(for:state:) and is not"]),
        (Misspelt.hidden, ["Hidden.decide(action:state:) decide(_:state:) and is not"]),
        (Misspelt.local, ["Local.closing(_:_:) closing(_:outcome:) and is not"]),
      ] as [(any Interactor.Type, [String])])
    func aNearMissIsFound(interactor: any Interactor.Type, briefly: [String]) {
      let sentences = InteractorCheck.nearMisses(of: interactor)
      #expect(sentences.map(brief) == briefly)
    }

    @Test(
      "An interactor that is right is not reported, whatever helpers it has",
      arguments: [
        WellSpelt.Full.self, WellSpelt.Helpers.self, WellSpelt.Generic<Int>.self,
        WellSpelt.Wrapper<WellSpelt.Generic<[Int]>>.self, WellSpelt.Exotic.self, WellSpelt.Own.self,
        WellSpelt.Stateful.self,
        WellSpelt.Class.self, WellSpelt.Inheriting.self, WellSpelt.Actor.self, WellSpelt.hidden, WellSpelt.local,
      ] as [any Interactor.Type])
    func aCorrectInteractorIsNotReported(interactor: any Interactor.Type) {
      #expect(InteractorCheck.nearMisses(of: interactor) == [])
    }

    private struct Sorter: Desk {
      func closing(_ action: Action, _ outcome: Outcome) -> Mutation? { nil }
    }

    @Test("A near miss fails the test at the line of each call that makes or names the interactor, and says the fix")
    func failures() async {
      let failures = Failures()
      let line: UInt = #line
      failures.collect { checkSpelling(of: Sorter.self) }
      _ = failures.collect { Given(Letters.State(), Sorter()) }
      let store = failures.collect { TestStore(initial: Letters.State(), interactor: Sorter()) }
      await store.finish()
      let sentence =
        "InteractorCheckTests.Sorter.closing(_:_:) looks like Interactor's closing(_:outcome:) and is not, so the default is "
        + "used; spell it `func closing(_ action: Action, outcome: Outcome) -> Mutation?`, or rename it."
      #expect(failures.messages == [sentence, sentence, sentence])
      #expect(failures.lines == [line + 1, line + 2, line + 3])
    }

    @Test("Further steps of a Given say it no more")
    func steps() {
      let failures = Failures()
      failures.collect {
        _ = Given(Letters.State(), Sorter()).when(.one).then(.handle).when(.one).then(.handle)
      }
      #expect(failures.messages.count == 1)
    }

    /// The part of a sentence that differs from one near miss to the next, without the type around all of them.
    private func brief(_ sentence: String) -> String {
      let words = sentence.split(separator: ", so the default is used")[0]
      return String(words).replacing(" looks like Interactor's", with: "").replacing("Misspelt.", with: "")
    }
  }
#endif
