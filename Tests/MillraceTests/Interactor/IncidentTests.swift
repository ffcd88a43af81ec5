import Testing

@testable import Millrace

@Suite("Incident")
struct IncidentTests {
  @Test("An incident tells its kind, its type, its error and a sentence")
  func anIncidentTells() {
    let incident = Incident(.unhandledFailure, of: Int.self, error: Mishap(), "A handler threw: a mishap")
    #expect(incident.kind == .unhandledFailure)
    #expect(ObjectIdentifier(incident.type) == ObjectIdentifier(Int.self))
    #expect(incident.error as? Mishap == Mishap())
    #expect("\(incident)" == "A handler threw: a mishap")
    #expect(Incident(.invalidPlan, of: Int.self, "").error == nil)
  }

  @Test("The kinds are different ones")
  func kindsAreDifferent() {
    #expect(Set([Incident.Kind.unhandledFailure, .invalidPlan, .lateEmit, .missingAction]).count == 4)
  }
}
