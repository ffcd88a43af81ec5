import MillraceFlags
import Testing

@testable import PulseService

@Suite("ClusterOptions")
struct ClusterOptionsTests {
  private static let targets = ["--watch", "http://a"]

  private func sentence(_ arguments: [String]) -> String? {
    let error = #expect(throws: FlagError.self) { try Options(try Options.flags.parse(arguments)) }
    return error?.message
  }

  @Test(
    "Flags that a cluster does not take are named with the reason and the fix",
    arguments: [
      (
        ["--cluster", "service=a", "--once"] + targets,
        "--once and --cluster exclude each other, because a cluster has its targets in the database; leave one out. 'pulse cluster status' "
          + "prints one complete state."
      ),
      (
        ["--cluster", "service=a", "--record", "a.jsonl"] + targets,
        "--record and --cluster exclude each other, because a cluster has its targets in the database; leave one out. 'pulse cluster "
          + "status' prints one complete state."
      ),
      (
        ["--cluster", "service=a"],
        "--cluster needs a target to watch; add for example --watch http://localhost:8080."
      ),
      (
        ["--cluster", "service=a", "--alert", "target down", "--alert", "cpu > 90 %"] + targets,
        "--cluster takes no rule about a machine, because each member has one of its own, but was given 'cpu > 90 %'; give it to a pulse "
          + "without --cluster."
      ),
      (["--lease", "5"] + targets, "--lease belongs to --cluster; add that, or leave it out."),
      (["--schema", "a"] + targets, "--schema belongs to --cluster; add that, or leave it out."),
      (["--name", "a"] + targets, "--name belongs to --cluster; add that, or leave it out."),
    ])
  func refused(_ arguments: [String], _ expected: String) {
    #expect(sentence(arguments) == expected)
  }

  @Test("The status needs an address")
  func status() {
    let error = #expect(throws: FlagError.self) { try ClusterCommand.flags.parse([]) }
    #expect(
      error?.message
        == "pulse cluster status needs an ADDRESS, but was given none; write for example pulse cluster status service=pulse."
    )
  }

  #if Postgres
    @Test("Each flag sets what it names; the name of a member is that of the host and the process without one")
    func flags() throws {
      let cluster = try #require(
        try Options(
          try Options.flags.parse(
            ["--cluster", "service=a", "--schema", "b", "--name", "c d", "--lease", "0.5"] + Self.targets)
        ).cluster)
      #expect(cluster.address == "service=a" && cluster.schema == "b" && cluster.name == "c d")
      #expect(cluster.lease == .milliseconds(500))
      let plain = try #require(try Options(try Options.flags.parse(["--cluster", "service=a"] + Self.targets)).cluster)
      #expect(plain.schema == "pulse" && plain.lease == .seconds(10))
      #expect(plain.name.wholeMatch(of: #/.+:[0-9]+/#) != nil)
    }
  #else
    @Test("A pulse without PostgreSQL says how to build one, and repeats no address")
    func missing() {
      #expect(
        sentence(["--cluster", "postgresql://u:hidden@h"] + Self.targets)
          == "--cluster needs PostgreSQL, and this pulse was built without it; install libpq-dev and build it with 'swift build -c release "
          + "--traits Postgres --product pulse'.")
    }
  #endif
}
