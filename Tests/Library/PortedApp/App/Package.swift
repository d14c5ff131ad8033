// swift-tools-version: 5.9
import PackageDescription

// Tests/run copies this package and fills in this repository's folder and the application ID.
let package = Package(
  name: "PortedApp",
  dependencies: [.package(name: "msauth", path: "/path/of/this/repository")],
  targets: [
    .executableTarget(name: "PortedApp", dependencies: [.product(name: "MSAL", package: "msauth")])
  ]
)
