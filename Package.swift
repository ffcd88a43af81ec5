// swift-tools-version: 6.2
import PackageDescription

/// The settings of every target, in one place.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("InferIsolatedConformances"),
  .treatAllWarnings(as: .error),
]

let package = Package(
  name: "millrace",
  platforms: [.macOS(.v26)],
  products: [
    .library(name: "Millrace", targets: ["Millrace"]),
    .library(name: "MillraceOperators", targets: ["MillraceOperators"]),
    .library(name: "MillraceReconcile", targets: ["MillraceReconcile"]),
    .library(name: "MillraceTesting", targets: ["MillraceTesting"]),
    .library(name: "MillraceRecording", targets: ["MillraceRecording"]),
    .library(name: "MillraceJournal", targets: ["MillraceJournal"]),
    .library(name: "MillracePostgres", targets: ["MillracePostgres"]),
    .library(name: "MillraceInspector", targets: ["MillraceInspector"]),
    .library(name: "MillraceCommand", targets: ["MillraceCommand"]),
    .library(name: "MillraceLoad", targets: ["MillraceLoad"]),
    .executable(name: "millrace", targets: ["MillraceCommandLine"]),
    .executable(name: "pulse", targets: ["PulseService"]),
    .executable(name: "mirror", targets: ["MirrorService"]),
    .executable(name: "orders", targets: ["OrdersService"]),
    .executable(name: "load", targets: ["MillraceLoadCommand"]),
    .executable(name: "benchmarks", targets: ["MillraceBenchmarks"]),
  ],
  traits: [
    .trait(name: "SQLite", description: "The journal in a file, by libsqlite3, whose development package it needs."),
    .trait(
      name: "Postgres", description: "The journal in PostgreSQL, by libpq, whose development package it needs."),
    .trait(
      name: "Inspector",
      description: "Health, metrics and runs by HTTP, by libmicrohttpd, whose development package it needs."),
  ],
  targets: [
    .target(name: "Millrace", dependencies: ["MillraceSystem"], swiftSettings: strict),
    .target(name: "MillraceSystem", path: "Sources/Support/MillraceSystem"),
    .target(
      name: "MillraceCurl",
      path: "Sources/Tools/MillraceCurl",
      linkerSettings: [
        // By its name at run time: the name without a version belongs to the development package.
        .linkedLibrary(":libcurl.so.4", .when(platforms: [.linux])),
        .linkedLibrary("curl", .when(platforms: [.macOS])),
      ]),
    .target(
      name: "MillraceHTTP", dependencies: ["Millrace", "MillraceCurl", "MillraceFlags"],
      path: "Sources/Tools/MillraceHTTP", swiftSettings: strict),
    .target(name: "MillraceOperators", dependencies: ["Millrace"], swiftSettings: strict),
    .target(name: "MillraceReconcile", dependencies: ["Millrace"], swiftSettings: strict),
    .target(name: "MillraceTesting", dependencies: ["Millrace", "MillraceHooks"], swiftSettings: strict),
    .target(name: "MillraceHooks", path: "Sources/Support/MillraceHooks"),
    .target(name: "MillraceEntries", path: "Sources/Support/MillraceEntries", swiftSettings: strict),
    .target(name: "MillraceRecording", dependencies: ["Millrace", "MillraceEntries"], swiftSettings: strict),
    .systemLibrary(
      name: "MillraceSQLite", path: "Sources/Support/MillraceSQLite", providers: [.apt(["libsqlite3-dev"])]),
    .target(
      name: "MillraceJournal",
      dependencies: [
        "Millrace", "MillraceEntries", .byName(name: "MillraceSQLite", condition: .when(traits: ["SQLite"])),
      ],
      swiftSettings: strict),
    .systemLibrary(
      name: "MillraceLibPQ", path: "Sources/Support/MillraceLibPQ", providers: [.apt(["libpq-dev"])]),
    .target(
      name: "MillracePostgres",
      dependencies: [
        "Millrace", "MillraceJournal", "MillraceEntries",
        .byName(name: "MillraceLibPQ", condition: .when(traits: ["Postgres"])),
      ],
      swiftSettings: strict),
    .systemLibrary(
      name: "MillraceMicroHTTPD", path: "Sources/Support/MillraceMicroHTTPD", providers: [.apt(["libmicrohttpd-dev"])]),
    .target(
      name: "MillraceInspector",
      dependencies: [
        "Millrace", "MillraceJournal",
        .byName(name: "MillraceMicroHTTPD", condition: .when(traits: ["Inspector"])),
      ],
      swiftSettings: strict),
    .target(name: "MillraceFlags", path: "Sources/Tools/MillraceFlags", swiftSettings: strict),
    .target(name: "MillraceTerminal", path: "Sources/Tools/MillraceTerminal", swiftSettings: strict),
    .target(
      name: "MillraceTop",
      dependencies: ["Millrace", "MillraceInspector", "MillraceHTTP", "MillraceFlags", "MillraceTerminal"],
      path: "Sources/Tools/MillraceTop", swiftSettings: strict),
    .target(
      name: "MillraceSocket", dependencies: ["Millrace"], path: "Sources/Tools/MillraceSocket", swiftSettings: strict),
    .target(
      name: "MillraceReport", dependencies: ["Millrace"], path: "Sources/Tools/MillraceReport", swiftSettings: strict),
    .target(
      name: "MillraceCommand",
      dependencies: [
        "Millrace", "MillraceRecording", "MillraceJournal", "MillraceEntries", "MillraceReport", "MillraceFlags",
        .byName(name: "MillracePostgres", condition: .when(traits: ["Postgres"])),
      ],
      path: "Sources/Tools/MillraceCommand",
      swiftSettings: strict),
    .target(
      name: "MillraceLoad", dependencies: ["Millrace", "MillraceReport", "MillraceFlags", "MillraceInspector"],
      path: "Sources/Tools/MillraceLoad", swiftSettings: strict),
    .executableTarget(
      name: "MillraceLoadCommand",
      dependencies: [
        "MillraceLoad", "Millrace", "MillraceTesting", "MillraceFlags", "MillraceHTTP", "MillraceLoopback",
        .byName(name: "MillraceJournal", condition: .when(traits: ["SQLite"])),
      ],
      path: "Sources/Tools/MillraceLoadCommand",
      swiftSettings: strict),
    .executableTarget(
      name: "MillraceCommandLine", dependencies: ["MillraceCommand", "MillraceTop"],
      path: "Sources/Tools/MillraceCommandLine",
      swiftSettings: strict),
    .executableTarget(
      name: "PulseService",
      dependencies: [
        "Millrace", "MillraceRecording", "MillraceCommand", "MillraceFlags", "MillraceHTTP",
        "MillraceJournal", "MillraceEntries", "MillraceInspector", "MillraceTerminal",
        .byName(name: "MillracePostgres", condition: .when(traits: ["Postgres"])),
      ],
      path: "Sources/Examples/PulseService",
      swiftSettings: strict),
    .executableTarget(
      name: "MirrorService",
      dependencies: [
        "Millrace", "MillraceRecording", "MillraceCommand", "MillraceFlags", "MillraceSocket",
        "MillraceHTTP",
      ],
      path: "Sources/Examples/MirrorService",
      swiftSettings: strict),
    .executableTarget(
      name: "OrdersService",
      dependencies: [
        "Millrace", "MillraceJournal", "MillraceCommand", "MillraceFlags", "MillraceTerminal",
        .byName(name: "MillracePostgres", condition: .when(traits: ["Postgres"])),
      ],
      path: "Sources/Examples/OrdersService",
      swiftSettings: strict),
    .target(name: "MillraceBenchmarksSystem", path: "Benchmarks/MillraceBenchmarksSystem"),
    // Built as packages build that enable no upcoming feature.
    .target(
      name: "MillraceBenchmarksDefaults", dependencies: ["Millrace"], path: "Benchmarks/MillraceBenchmarksDefaults",
      swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]),
    .executableTarget(
      name: "MillraceBenchmarks",
      dependencies: [
        "Millrace", "MillraceFlags", "MillraceTesting", "MillraceRecording", "MillraceEntries",
        "MillraceBenchmarksSystem", "MillraceBenchmarksDefaults",
        .byName(name: "MillraceJournal", condition: .when(traits: ["SQLite", "Postgres"])),
        .byName(name: "MillraceSQLite", condition: .when(traits: ["SQLite"])),
        .byName(name: "MillracePostgres", condition: .when(traits: ["Postgres"])),
        .byName(name: "MillraceLibPQ", condition: .when(traits: ["Postgres"])),
        .byName(name: "MillracePostgresServer", condition: .when(traits: ["Postgres"])),
        .byName(name: "MillraceInspector", condition: .when(traits: ["Inspector"])),
      ],
      path: "Benchmarks/MillraceBenchmarks", swiftSettings: strict),
    .executableTarget(
      name: "MillraceShelf", dependencies: ["Millrace", "MillraceRecording", "MillraceCommand"],
      path: "Tests/Support/MillraceShelf", swiftSettings: strict),
    .executableTarget(
      name: "MillraceResponder", dependencies: ["MillraceLoopback"], path: "Tests/Support/MillraceResponder",
      swiftSettings: strict),
    .executableTarget(
      name: "MillraceJournalKill", dependencies: ["MillraceJournal", "Millrace"],
      path: "Tests/Support/MillraceJournalKill",
      swiftSettings: strict),
    .executableTarget(
      name: "MillraceDurableMain", dependencies: ["MillraceJournal", "Millrace"],
      path: "Tests/Support/MillraceDurableMain",
      swiftSettings: strict),
    .target(name: "MillraceCurlChecks", dependencies: ["MillraceCurl"], path: "Tests/Support/MillraceCurlChecks"),
    .target(name: "MillraceDispatchChecks", path: "Tests/Support/MillraceDispatchChecks"),
    .target(name: "MillraceMutation", path: "Tests/Support/MillraceMutation", swiftSettings: strict),
    .target(name: "MillraceLoopbackSystem", path: "Sources/Tools/MillraceLoopbackSystem"),
    .target(
      name: "MillraceLoopback", dependencies: ["MillraceLoopbackSystem", "MillraceSocket"],
      path: "Sources/Tools/MillraceLoopback", swiftSettings: strict),
    .target(
      name: "MillracePostgresServer", path: "Tests/Support/MillracePostgresServer", swiftSettings: strict),
    .target(name: "MillraceSwiftMetrics", path: "Tests/Support/MillraceSwiftMetrics", swiftSettings: strict),
    .target(name: "MillraceSecureServer", path: "Tests/Support/MillraceSecureServer", swiftSettings: strict),
    .target(name: "MillraceSocketClient", path: "Tests/Support/MillraceSocketClient", swiftSettings: strict),
    .target(
      name: "MillraceSilentNames", dependencies: ["MillraceHTTP", "MillraceTesting"],
      path: "Tests/Support/MillraceSilentNames",
      swiftSettings: strict),
    .testTarget(
      name: "MillraceTests", dependencies: ["Millrace", "MillraceTesting", "MillraceSystem", "MillraceSwiftMetrics"],
      swiftSettings: strict),
    // Debug builds run these tests at a hundredth of their size, a release build in full. Fixtures of others are linked in.
    .testTarget(
      name: "MillraceScaleTests",
      dependencies: [
        "MillraceCommand", "MillraceFlags", "MillraceReport", "MillraceRecording", "MillraceJournal", "Millrace",
        "MillraceTesting",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "MillraceOperatorsTests", dependencies: ["MillraceOperators", "Millrace", "MillraceTesting"],
      swiftSettings: strict),
    .testTarget(
      name: "MillraceReconcileTests", dependencies: ["MillraceReconcile", "Millrace", "MillraceTesting"],
      swiftSettings: strict),
    .testTarget(
      name: "MillraceTestingTests", dependencies: ["Millrace", "MillraceTesting", "MillraceDispatchChecks"],
      swiftSettings: strict),
    .testTarget(
      name: "MillraceRecordingTests",
      dependencies: ["MillraceRecording", "MillraceEntries", "Millrace", "MillraceTesting"], swiftSettings: strict),
    .testTarget(name: "MillraceEntriesTests", dependencies: ["MillraceEntries"], swiftSettings: strict),
    .target(
      name: "MillraceVFS", path: "Tests/Support/MillraceVFS", cSettings: [.define("SQLite", .when(traits: ["SQLite"]))]),
    .testTarget(
      name: "MillraceJournalTests",
      dependencies: [
        "MillraceJournal", "MillracePostgres", "MillracePostgresServer", "Millrace", "MillraceTesting",
        "MillraceJournalKill", "MillraceDurableMain",
        "PulseService", "OrdersService",
        .byName(name: "MillraceVFS", condition: .when(traits: ["SQLite"])),
        .byName(name: "MillraceSQLite", condition: .when(traits: ["SQLite"])),
      ],
      exclude: ["Files"], swiftSettings: strict),
    .testTarget(
      name: "MillraceFlagsTests", dependencies: ["MillraceFlags"], swiftSettings: strict),
    .testTarget(
      name: "MillraceSocketTests",
      dependencies: ["MillraceSocket", "MillraceSocketClient", "Millrace", "MillraceTesting"], swiftSettings: strict),
    .testTarget(
      name: "MillraceInspectorTests",
      dependencies: [
        "MillraceInspector", "MillraceJournal", "Millrace", "MillraceTesting", "MillraceSocketClient",
        "MillraceSecureServer",
        .byName(name: "MillraceMicroHTTPD", condition: .when(traits: ["Inspector"])),
      ],
      swiftSettings: strict),
    .testTarget(
      name: "MillraceHTTPTests",
      dependencies: [
        "MillraceHTTP", "MillraceCurl", "MillraceCurlChecks", "MillraceLoopback", "Millrace", "MillraceTesting",
        "MillraceFlags", "MillraceSecureServer", "MillraceSilentNames", "MillraceSocket",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "MillraceBenchmarksTests",
      dependencies: ["MillraceBenchmarks", "MillraceBenchmarksSystem", "Millrace", "MillraceFlags", "MillraceTesting"],
      swiftSettings: strict),
    .testTarget(name: "MillraceTerminalTests", dependencies: ["MillraceTerminal"], swiftSettings: strict),
    .testTarget(
      name: "MillraceTopTests",
      dependencies: [
        "MillraceTop", "MillraceCommandLine", "MillraceInspector", "MillraceFlags", "MillraceHTTP", "MillraceLoopback",
        "MillraceTerminal", "Millrace", "MillraceTesting",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "MillraceReportTests", dependencies: ["MillraceReport", "Millrace"], swiftSettings: strict),
    .testTarget(
      name: "MillraceLoadTests",
      dependencies: [
        "MillraceLoad", "MillraceLoadCommand", "MillraceReport", "MillraceFlags", "Millrace", "MillraceTesting",
        "MillraceHTTP", "MillraceLoopback", "MillraceResponder", "MillraceSocketClient",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "MillraceCommandTests",
      dependencies: [
        "MillraceCommand", "MillraceCommandLine", "MillraceShelf", "MillraceRecording", "MillraceReport", "Millrace",
        "MillraceTesting", "MillraceMutation", "MillraceJournal", "MillraceFlags", "MillracePostgres",
        "MillracePostgresServer",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "PulseServiceTests",
      dependencies: [
        "PulseService", "Millrace", "MillraceRecording", "MillraceJournal", "MillraceTesting", "MillraceLoopback",
        "MillracePostgresServer", "MillracePostgres",
        "MillraceCurlChecks", "MillraceMutation", "MillraceHTTP", "MillraceCurl",
        "MillraceSecureServer", "MillraceSilentNames", "MillraceFlags", "MillraceSocketClient", "MillraceTerminal",
        "MillraceCommandLine",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "MirrorServiceTests",
      dependencies: [
        "MirrorService", "Millrace", "MillraceRecording", "MillraceTesting", "MillraceLoopback", "MillraceFlags",
        "MillraceHTTP", "MillraceSocket", "MillraceSocketClient",
      ],
      swiftSettings: strict),
  ]
)

// MILLRACE_TESTS=MillraceScaleTests,MillraceFlagsTests leaves these test targets, and what they depend on;
// MILLRACE_TESTS=-MillraceScaleTests leaves out this one. `swift test` builds every target there is, whatever its --filter says.
if let names = Context.environment["MILLRACE_TESTS"]?.split(separator: ",").map(String.init) {
  let tests = package.targets.filter { $0.type == .test }.map(\.name)
  let unwanted = Set(names.filter { $0.hasPrefix("-") }.map { String($0.dropFirst()) })
  let wanted = names.filter { !$0.hasPrefix("-") }
  for name in wanted + unwanted where !tests.contains(name) {
    fatalError("MILLRACE_TESTS names \(name), which is no test target; these are: \(tests.joined(separator: ", ")).")
  }
  package.targets.removeAll { unwanted.contains($0.name) }
  if !wanted.isEmpty {
    var needed: Set<String> = []
    func need(_ name: String) {
      guard needed.insert(name).inserted, let target = package.targets.first(where: { $0.name == name }) else { return }
      for case .byNameItem(let dependency, _) in target.dependencies { need(dependency) }
    }
    wanted.forEach(need)
    package.targets.removeAll { !needed.contains($0.name) }
    package.products.removeAll { product in
      let targets = (product as? Product.Library)?.targets ?? (product as? Product.Executable)?.targets ?? []
      return !needed.isSuperset(of: targets)
    }
  }
}
