import Millrace
import MillraceJournal
import Testing

@testable import PulseService

@Suite("ClusterMember")
struct ClusterMemberTests {
  private func plan(_ change: (inout MonitoringService.Plan) throws -> Void = { _ in }) throws -> MonitoringService.Plan
  {
    var plan = MonitoringService.Plan(
      endpoints: [.web, .guarded], rules: try ["target down", "target slower than 1 s"].map { try AlertRule($0) },
      webhooks: [.chat, .pager])
    try change(&plan)
    return plan
  }

  private func member(_ name: String, _ plan: MonitoringService.Plan, started time: Int64 = 0, id: UInt64 = 0)
    -> JournalMember
  {
    JournalMember(
      .init(high: 0, low: id), of: Cluster.stores, address: "\(ClusterMember(name: name, plan: plan))",
      process: JournalEpoch(host: name, process: 1, time: time))
  }

  @Test("An address is read as the member that wrote it, also with blanks in its name")
  func address() throws {
    for name in ["web-1", "a name", "", "a targets=1"] {
      let member = ClusterMember(name: name, plan: try plan())
      #expect(ClusterMember(address: "\(member)") == member)
    }
  }

  @Test(
    "An address of something else is read as none",
    arguments: ["", "10.0.0.7:80", "a b c d e", "a targets=1 rules=1 webhooks=1"])
  func otherAddress(_ address: String) {
    #expect(ClusterMember(address: address) == nil)
  }

  @Test("An address has no secret, and nothing by which one is found again but a digest")
  func secrets() throws {
    let address = "\(ClusterMember(name: "a", plan: try plan()))"
    for secret in ["secret", "guarded", "chat"] { #expect(!address.contains(secret)) }
    #expect(
      address.wholeMatch(of: #/a targets=[0-9a-f]{16} rules=[0-9a-f]{16} webhooks=[0-9a-f]{16} interval=[0-9a-f]{16}/#)
        != nil)
  }

  @Test("Members agree on one configuration in whatever order it was given")
  func order() throws {
    let reversed = try plan {
      $0.endpoints.reverse()
      $0.rules.reverse()
      $0.webhooks.reverse()
    }
    #expect(ClusterMember(name: "a", plan: try plan()).objection(to: member("b", reversed)) == nil)
  }

  @Test("Another configuration is refused by a sentence that names the parts, the member and the fix")
  func objections() throws {
    let own = ClusterMember(name: "a", plan: try plan())
    let others: [(String, MonitoringService.Plan)] = [
      ("targets", try plan { $0.endpoints[0].limit = .seconds(1) }),
      (
        "targets",
        try plan { $0.endpoints[1] = try Endpoint("https://secret-user:other@guarded.test/health?key=secret") }
      ),
      ("rules", try plan { $0.rules.removeLast() }), ("webhooks", try plan { $0.webhooks = [] }),
      ("interval", try plan { $0.interval = .seconds(2) }),
      ("rules, interval", try plan { ($0.rules, $0.interval) = ([], .seconds(2)) }),
    ]
    for (parts, plan) in others {
      #expect(
        own.objection(to: member("b", plan))
          == "its \(parts) differ from those of the member \"b\"; give all members the same --watch, --targets, --alert, --rules, "
          + "--notify and --every, or end the others first.")
    }
    let stranger = JournalMember(
      .init(high: 0, low: 0), of: Cluster.stores, address: "10.0.0.7:80",
      process: JournalEpoch(host: "b", process: 1, time: 0))
    #expect(
      own.objection(to: stranger)
        == "the member \"10.0.0.7:80\" is a pulse of another version; end it, or run the same version here.")
  }

  @Test(
    "All members have the configuration of the one that was started first, so one that has joined at the same time leaves"
  )
  func race() throws {
    let (plan, other) = (try plan(), try plan { $0.rules = [] })
    let members = [
      member("b", other, started: 2, id: 3), member("a", plan, started: 1, id: 9), member("c", plan, started: 2, id: 4),
    ]
    #expect(members.objection(to: ClusterMember(name: "b", plan: other))?.contains("the member \"a\"") == true)
    for name in ["a", "c", "d"] { #expect(members.objection(to: ClusterMember(name: name, plan: plan)) == nil) }
    let equal = [member("b", other, id: 3), member("a", plan, id: 2)]
    #expect(equal.objection(to: ClusterMember(name: "a", plan: plan)) == nil)
    #expect(equal.objection(to: ClusterMember(name: "b", plan: other)) != nil)
    #expect([].objection(to: ClusterMember(name: "b", plan: other)) == nil)
  }
}
