import Foundation
import MillraceFlags
import Testing

@Suite("OpenFiles", .timeLimit(.minutes(1)))
struct OpenFilesTests {
  @Test("The soft limit is raised to the hard one, also a second time")
  func raised() async {
    await #expect(processExitsWith: .success) {
      lower(soft: 100, hard: 200)
      for _ in 0..<2 {
        let files = try OpenFiles.raised(for: "tests")
        #expect(files == OpenFiles(limit: 200))
      }
      #expect(OpenFiles.current == OpenFiles(limit: 200))
    }
  }

  @Test("A limit with which no program can work is a sentence with the limit and the fix; the least limit is none")
  func least() async {
    await #expect(processExitsWith: .success) {
      lower(soft: 40, hard: OpenFiles.least)
      let files = try OpenFiles.raised(for: "tests")
      #expect(files.limit == OpenFiles.least)
      lower(soft: 55, hard: 55)
      #expect(throws: FlagError("tests may open 55 files and needs at least 56; raise the limit (ulimit -n 56).")) {
        try OpenFiles.raised(for: "tests")
      }
    }
  }

  @Test("Connections leave the reserve and a descriptor for each look-up; the limit for a number of them just suffices")
  func connections() {
    #expect(OpenFiles(limit: 20).connections == 0)
    for limit in [56, 64, 96, 1_024, 20_000, .max] {
      let files = OpenFiles(limit: limit)
      #expect(files.connections == limit - 32 - files.lookUps)
    }
    for count in [1, 16, 44, 45, 1_000, 9_000, 20_000] {
      let limit = OpenFiles.limit(connections: count)
      #expect(OpenFiles(limit: limit).connections >= count && OpenFiles(limit: limit - 1).connections < count)
    }
  }
}

/// Sets both limits on open files.
private func lower(soft: Int, hard: Int) {
  var limits = rlimit(rlim_cur: rlim_t(soft), rlim_max: rlim_t(hard))
  #if canImport(Glibc)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
  #else
    setrlimit(RLIMIT_NOFILE, &limits)
  #endif
}
