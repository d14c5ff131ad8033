// swift-tools-version: 6.2
import PackageDescription

// Tests/run copies this package and fills in this repository's folder, the application ID, and the code of two pages.
let package = Package(
  name: "PortedApp",
  dependencies: [.package(name: "msauth", path: "/path/of/this/repository")],
  targets: [
    .executableTarget(
      name: "PortedApp",
      dependencies: [.product(name: "MSAL", package: "msauth")],
      swiftSettings: [.swiftLanguageMode(.v5)]
    ),
    // In the language mode that a new package has.
    .executableTarget(name: "ReadmeExample", dependencies: [.product(name: "MSAuth", package: "msauth")]),
    .executableTarget(name: "PortingExample", dependencies: [.product(name: "MSAL", package: "msauth")]),
  ]
)
