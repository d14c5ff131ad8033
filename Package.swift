// swift-tools-version: 6.2
import PackageDescription

// Strict everywhere; a consumer's newer compiler must not break on a new warning, so only CI makes them errors.
let house: [SwiftSetting] =
  [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ] + (Context.environment["CI"] == nil ? [] : [.treatAllWarnings(as: .error)])

/// A room of the house: a Swift target with the settings that all rooms share.
func room(_ name: String, _ imports: [Target.Dependency], path: String? = nil, resources: [Resource]? = nil) -> Target {
  .target(name: name, dependencies: imports, path: path, resources: resources, swiftSettings: house)
}

/// The tests of one room.
func proof(of name: String, _ imports: [Target.Dependency] = [], resources: [Resource]? = nil) -> Target {
  .testTarget(
    name: name + "Tests",
    dependencies: [.byName(name: name)] + imports,
    resources: resources,
    swiftSettings: house
  )
}

// Only who writes the documentation needs DocC's plugin; others must not have to fetch it.
let documentation: [Package.Dependency] =
  Context.environment["MSAUTH_DOCUMENTATION"] == nil
  ? [] : [.package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0")]

let sockets: Target.Dependency = .product(name: "FlyingSocks", package: "FlyingFox")
let children: Target.Dependency = .product(name: "Subprocess", package: "swift-subprocess")
// Subprocess takes a program's place as this package's FilePath.
let paths: Target.Dependency = .product(name: "SystemPackage", package: "swift-system")
let arguments: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")

let package = Package(
  name: "msauth",
  products: [
    .executable(name: "msauth", targets: ["msauth"]),
    .executable(name: "msauth-demo", targets: ["msauth-demo"]),
    .executable(name: "msauth-app", targets: ["msauth-app"]),
    .library(name: "MSAuth", targets: ["MSAuth"]),
    .library(name: "MSAL", targets: ["MSAL"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: []),
    .package(url: "https://github.com/apple/swift-system", from: "1.6.0"),
    .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1"),
  ] + documentation,
  targets: [
    // What a person runs.
    .executableTarget(
      name: "msauth",
      dependencies: ["MSAuth", "Preferences", "Primitives", "Terminal", arguments],
      swiftSettings: house
    ),
    .executableTarget(
      name: "msauth-demo",
      dependencies: [
        "DemoProvider", "Desktop", "LibCrypto", "Primitives", arguments,
        .product(name: "Subprocess", package: "swift-subprocess"),
      ],
      swiftSettings: house
    ),

    // The tutorial's app: MSAL's names, and a page in the browser for its screen.
    .executableTarget(
      name: "msauth-app",
      dependencies: [
        "MSAL", "MSAuth", "Desktop", "LibCrypto", "Loopback", "Preferences", "Primitives", "Terminal", "Transport",
      ],
      resources: [.embedInCode("Page/index.html"), .embedInCode("Page/app.css"), .embedInCode("Page/app.js")],
      swiftSettings: house
    ),

    // What a person configured, for every program of ours.
    room("Preferences", ["MSAuth", "OAuth", "Primitives"]),
    room("Terminal", ["CLinux"]),

    // What a developer imports.
    room("MSAuth", ["OAuth", "Loopback", "Pages", "TokenCache", "Transport", "Desktop", "LibCrypto", "Primitives"]),

    // The same with MSAL's names, for code that comes from macOS; it may use Foundation.
    room("MSAL", ["MSAuth"]),

    // The rooms; none imports another of this group.
    room("OAuth", ["LibCrypto", "Primitives"]),
    room("Loopback", ["Primitives", sockets]),
    room(
      "Pages",
      ["LibCrypto", "Primitives"],
      path: "templates",
      resources: [.embedInCode("page.html"), .embedInCode("style.css")]
    ),
    room("TokenCache", ["CLibSecret", "Primitives"]),
    room("Transport", ["CLibCurl", "Primitives"]),
    room("Desktop", ["Primitives", children, paths]),

    // The ground floor: values every room speaks in, and C.
    room("Primitives", []),
    room("LibCrypto", ["COpenSSL"]),
    .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CLinux"),
    .target(name: "CLibCurl"),
    .target(name: "CLibSecret"),

    // A provider to try it against.
    room("DemoProvider", ["LibCrypto", "Primitives", sockets, .product(name: "FlyingFox", package: "FlyingFox")]),

    proof(of: "Primitives"),
    proof(of: "LibCrypto"),
    proof(of: "OAuth", ["LibCrypto", "Primitives"]),
    proof(of: "Loopback", ["Primitives", sockets]),
    proof(of: "Pages", ["LibCrypto"]),
    proof(of: "TokenCache", ["Primitives", "token-cache-driver"]),
    // A process that tests of the cache may kill, or give a keyring of its own.
    .executableTarget(
      name: "token-cache-driver",
      dependencies: ["TokenCache", "Primitives"],
      path: "Tests/TokenCacheDriver",
      swiftSettings: house
    ),
    proof(of: "Transport", ["Primitives", sockets]),
    proof(of: "Desktop", ["Primitives"]),
    proof(of: "MSAuth", ["Desktop", "TestSupport", "TokenCache", "Transport"]),
    proof(of: "DemoProvider", ["OAuth", "LibCrypto", "Primitives", "Transport"]),

    // The binary itself, from outside.
    room("TestSupport", ["Primitives"], path: "Tests/Support"),
    .testTarget(
      name: "CommandTests",
      dependencies: ["msauth", "TestSupport", "Primitives"],
      swiftSettings: house
    ),
    .testTarget(
      name: "ProcessTests",
      dependencies: ["msauth", "MSAuth", "DemoProvider", "TokenCache", "TestSupport", "Primitives"],
      resources: [.copy("Resources")],
      swiftSettings: house
    ),
    .testTarget(
      name: "AppTests",
      dependencies: [
        "msauth-app", "msauth", "MSAL", "MSAuth", "DemoProvider", "Desktop", "Loopback", "Primitives", "TestSupport",
        "TokenCache", "Transport",
      ],
      swiftSettings: house
    ),
    .testTarget(
      name: "MSALTests",
      dependencies: [
        "MSAL", "MSAuth", "DemoProvider", "Desktop", "LibCrypto", "Primitives", "TestSupport", "TokenCache",
        "Transport",
      ],
      exclude: ["API.md"],
      swiftSettings: house
    ),
    .testTarget(
      name: "PortedAppTests",
      dependencies: ["DemoProvider", "TestSupport"],
      exclude: ["App"],
      swiftSettings: house
    ),
    .testTarget(
      name: "ConformanceTests",
      dependencies: [
        "msauth", "MSAuth", "DemoProvider", "Desktop", "LibCrypto", "OAuth", "Primitives", "TestSupport", "TokenCache",
        "Transport",
      ],
      exclude: ["CONFORMANCE.md"],
      swiftSettings: house
    ),
    .testTarget(
      name: "EndToEndTests",
      dependencies: ["msauth", "DemoProvider", "TestSupport", "Primitives"],
      swiftSettings: house
    ),
  ]
)
