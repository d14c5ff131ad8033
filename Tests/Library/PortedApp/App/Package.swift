// swift-tools-version: 5.9
import PackageDescription

// The test copies this package elsewhere and puts this repository's folder and the provider's address into it.
let package = Package(
  name: "PortedApp",
  dependencies: [.package(name: "msauth", path: "/path/of/this/repository")],
  targets: [
    .executableTarget(name: "PortedApp", dependencies: [.product(name: "MSAL", package: "msauth")])
  ]
)
