// swift-tools-version: 6.2
import PackageDescription

// A package as its users write them: plain language settings, targets with everyday names, nothing but `Millrace`.
let package = Package(
  name: "consumer",
  platforms: [.macOS(.v26)],
  dependencies: [.package(name: "millrace", path: "../..")],
  targets: [
    .target(name: "Report", dependencies: [.product(name: "Millrace", package: "millrace")]),
    .target(
      name: "Flags", dependencies: [.product(name: "Millrace", package: "millrace")],
      swiftSettings: [.swiftLanguageMode(.v5)]),
    .executableTarget(
      name: "shop", dependencies: ["Report", "Flags", .product(name: "Millrace", package: "millrace")]),
    .executableTarget(
      name: "simulated",
      dependencies: [
        .product(name: "Millrace", package: "millrace"), .product(name: "MillraceTesting", package: "millrace"),
      ]),
    .executableTarget(name: "service", dependencies: [.product(name: "Millrace", package: "millrace")]),
  ]
)
