#if DEBUG
  import Testing

  @testable import MillraceTesting

  @Suite("OptionalRequirement")
  struct OptionalRequirementTests {
    @Test(
      "A name is the same, misspelt, akin or another one",
      arguments: [
        (OptionalRequirement.decide, ["decide"], ["decid", "decides", "deside", "dceide", "decode"], ["decision"]),
        (.plan, ["plan"], ["plans", "pla", "plam", "play", "plant"], ["planned", "planFor", "planning"]),
        (.closing, ["closing"], ["closin", "Closing", "closign", "cloosing"], ["close", "closed"]),
      ])
    func aNameIsLikeTheRequirements(
      requirement: OptionalRequirement, same: [String], misspelt: [String], akin: [String]
    ) {
      #expect(same.map(requirement.likeness) == same.map { _ in .same })
      #expect(misspelt.map(requirement.likeness) == misspelt.map { _ in .misspelt })
      #expect(akin.map(requirement.likeness) == akin.map { _ in .akin })
      #expect(requirement.likeness(of: "handle") == .other)
      #expect(requirement.likeness(of: "") == .other)
    }

    @Test(
      "Its declaration begins with its full name",
      arguments: zip(
        OptionalRequirement.allCases, ["decide(_:state:)", "plan(for:state:)", "closing(_:outcome:)"]))
    func itsDeclarationBeginsWithItsName(requirement: OptionalRequirement, fullName: String) {
      #expect(requirement.fullName == fullName)
      #expect(requirement.declaration.hasPrefix("func \(requirement.name)("))
    }
  }
#endif
