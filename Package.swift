// swift-tools-version: 6.2
import PackageDescription

// Strict everywhere; a consumer's newer compiler must not break on a new warning, so only CI makes them errors.
let swiftSettings: [SwiftSetting] =
  [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ] + (Context.environment["CI"] == nil ? [] : [.treatAllWarnings(as: .error)])

func module(
  _ name: String,
  _ dependencies: [Target.Dependency],
  path: String? = nil,
  resources: [Resource]? = nil
) -> Target {
  .target(name: name, dependencies: dependencies, path: path, resources: resources, swiftSettings: swiftSettings)
}

func executable(
  _ name: String,
  _ dependencies: [Target.Dependency],
  path: String? = nil,
  resources: [Resource]? = nil
) -> Target {
  .executableTarget(
    name: name,
    dependencies: dependencies,
    path: path,
    resources: resources,
    swiftSettings: swiftSettings
  )
}

/// Tests at one of the four levels: `Unit`, `Library`, `CommandLine`, `Browser`.
func tests(
  _ name: String,
  _ level: String,
  _ dependencies: [Target.Dependency],
  exclude: [String] = [],
  resources: [Resource]? = nil
) -> Target {
  .testTarget(
    name: name + "Tests",
    dependencies: dependencies,
    path: "Tests/\(level)/\(name)",
    exclude: exclude,
    resources: resources,
    swiftSettings: swiftSettings
  )
}

// DocC's plugin is fetched only by those who generate the documentation.
let documentation: [Package.Dependency] =
  Context.environment["MSAUTH_DOCUMENTATION"] == nil
  ? [] : [.package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0")]

let flyingSocks: Target.Dependency = .product(name: "FlyingSocks", package: "FlyingFox")
let subprocess: Target.Dependency = .product(name: "Subprocess", package: "swift-subprocess")
// Subprocess names a program's directory by this package's FilePath.
let systemPackage: Target.Dependency = .product(name: "SystemPackage", package: "swift-system")
let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")

let package = Package(
  name: "msauth",
  products: [
    .executable(name: "msauth", targets: ["msauth"]),
    .executable(name: "msauth-demo", targets: ["msauth-demo"]),
    .executable(name: "msauth-app", targets: ["msauth-app"]),
    .library(name: "MSAuth", targets: ["MSAuth"]),
    .library(name: "MSAL", targets: ["MSAL"]),
    .library(name: "MSAuthTesting", targets: ["MSAuthTesting"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: []),
    .package(url: "https://github.com/apple/swift-system", from: "1.6.0"),
    .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1"),
  ] + documentation,
  targets: [
    // Programs.
    executable("msauth", ["MSAuth", "OAuth", "Preferences", "Core", "Desktop", "Unix", argumentParser]),
    executable("msauth-demo", ["DemoProvider", "LibCrypto", argumentParser, subprocess, systemPackage]),
    // The tutorial's application, with a page in the browser for its screen.
    executable(
      "msauth-app",
      ["MSAL", "MSAuth", "Desktop", "LibCrypto", "Loopback", "Preferences", "Core", "Unix", "Transport"],
      resources: [.embedInCode("Page/index.html"), .embedInCode("Page/app.css"), .embedInCode("Page/app.js")]
    ),

    // Libraries.
    module(
      "MSAuth",
      ["OAuth", "JOSE", "Loopback", "Pages", "TokenCache", "Transport", "Desktop", "LibCrypto", "Core", "Unix"]
    ),
    // MSAL's names for code that comes from macOS; it may use Foundation.
    module("MSAL", ["MSAuth", "Core", "Unix"]),
    // A fake for tests of applications.
    module("MSAuthTesting", ["MSAuth"]),

    // The configuration file, environment and flags.
    module("Preferences", ["MSAuth", "OAuth", "Desktop", "Core", "Unix"]),

    // What MSAuth brings together; none of these imports another.
    module("OAuth", ["JOSE", "LibCrypto", "Core"]),
    module("Loopback", ["CLinux", "Core", "Unix"]),
    module(
      "Pages",
      ["LibCrypto", "Core"],
      path: "templates",
      resources: [.embedInCode("page.html"), .embedInCode("style.css"), .embedInCode("texts.json")]
    ),
    module("TokenCache", ["CGLib", "LibCrypto", "Core", "Unix"]),
    module("Transport", ["CLibCurl", "Core", "Unix"]),
    module("Desktop", ["CGLib", "Core", "Unix", subprocess, systemPackage]),

    // What everybody may import.
    module("Core", []),
    // Not called System: swift-subprocess imports any module of that name as Apple's.
    module("Unix", ["CLinux", "Core"]),
    // Signed tokens and keys.
    module("JOSE", ["LibCrypto", "Core"]),
    module("LibCrypto", ["CLibCrypto", "Core"]),
    .systemLibrary(name: "CLinux"),
    // The libraries that are opened on first use.
    .target(name: "CLibCrypto"),
    .target(name: "CLibCurl"),
    .target(name: "CGLib"),

    // An identity provider to try msauth against.
    module(
      "DemoProvider",
      ["JOSE", "LibCrypto", "Core", "Transport", flyingSocks, .product(name: "FlyingFox", package: "FlyingFox")]
    ),

    // What tests share.
    module("TestSupport", ["Core"], path: "Tests/Fixtures/Support"),
    // A process that tests of the cache may kill, or give a keyring of its own.
    executable(
      "json-benchmark",
      ["Core", "JOSE", "MSAuth", "OAuth", "Preferences", "TokenCache"],
      path: "Tests/Fixtures/JSONBenchmark"
    ),
    executable(
      "token-cache-driver",
      ["MSAL", "MSAuth", "TokenCache", "Core", "Unix"],
      path: "Tests/Fixtures/TokenCacheDriver"
    ),

    // One module at a time.
    tests("Core", "Unit", ["Core", "TestSupport"]),
    tests("LibCrypto", "Unit", ["LibCrypto", "Core", "TestSupport"]),
    tests("Unix", "Unit", ["Core", "TestSupport", "Unix"]),
    tests("JOSE", "Unit", ["JOSE", "LibCrypto", "Core", "TestSupport"]),
    tests("OAuth", "Unit", ["OAuth", "JOSE", "LibCrypto", "Core", "TestSupport"]),
    tests("Loopback", "Unit", ["Loopback", "Core", "TestSupport", flyingSocks]),
    tests("Pages", "Unit", ["Pages", "LibCrypto"]),
    tests("TokenCache", "Unit", ["TokenCache", "Core", "TestSupport", "Unix", "token-cache-driver"]),
    tests("Transport", "Unit", ["Transport", "Core", "TestSupport", flyingSocks]),
    tests("Desktop", "Unit", ["Desktop", "Core", "TestSupport"]),
    tests(
      "MSAuth",
      "Unit",
      [
        "MSAuth", "Core", "Desktop", "LibCrypto", "Loopback", "OAuth", "Pages", "TestSupport", "TokenCache",
        "Transport",
      ]
    ),
    tests("MSAuthTesting", "Unit", ["MSAuthTesting", "MSAuth"]),
    tests("Preferences", "Unit", ["Preferences", "MSAuth", "Core", "TestSupport", "Unix"]),

    // The libraries in this process, against the demo provider.
    tests(
      "DemoProvider",
      "Library",
      ["DemoProvider", "JOSE", "OAuth", "LibCrypto", "Core", "TestSupport", "Transport"]
    ),
    tests(
      "MSAL",
      "Library",
      [
        "MSAL", "MSAuth", "DemoProvider", "Desktop", "LibCrypto", "Core", "TestSupport", "TokenCache", "Transport",
      ],
      exclude: ["API.md"]
    ),
    tests("PortedApp", "Library", ["DemoProvider", "TestSupport"], exclude: ["App"]),
    tests(
      "Conformance",
      "Library",
      [
        "MSAuth", "DemoProvider", "Desktop", "LibCrypto", "OAuth", "Core", "TestSupport", "TokenCache", "Transport",
      ],
      exclude: ["CONFORMANCE.md"]
    ),

    // The binary, from outside.
    tests("Commands", "CommandLine", ["msauth", "TestSupport", "Core"]),
    tests(
      "Providers",
      "CommandLine",
      ["msauth", "MSAuth", "DemoProvider", "LibCrypto", "OAuth", "TestSupport", "Core"]
    ),
    tests(
      "Processes",
      "CommandLine",
      ["msauth", "MSAuth", "DemoProvider", "LibCrypto", "TokenCache", "TestSupport", "Core"],
      resources: [.copy("Resources")]
    ),

    // With a real browser.
    tests(
      "App",
      "Browser",
      [
        "msauth-app", "msauth", "MSAL", "MSAuth", "DemoProvider", "Desktop", "LibCrypto", "Loopback", "Core",
        "TestSupport",
        "TokenCache", "Transport",
      ]
    ),
    tests("EndToEnd", "Browser", ["msauth", "DemoProvider", "Pages", "TestSupport", "Core"]),
  ]
)

// Built by Tests/fuzz alone.
if Context.environment["MSAUTH_FUZZING"] != nil {
  package.targets.append(
    executable(
      "fuzzers",
      ["Core", "JOSE", "LibCrypto", "Loopback", "MSAuth", "OAuth", "Preferences", "TokenCache"],
      path: "Tests/Fuzzing"
    )
  )
}

// Tests/sanitize has a sanitizer in msauth and in the process of the unit and library tests; those that drive msauth from
// outside are of the ordinary build.
if Context.environment["MSAUTH_SANITIZING"] != nil {
  package.targets.removeAll { target in
    ["Tests/CommandLine/", "Tests/Browser/"].contains { target.path?.hasPrefix($0) == true }
  }
}
