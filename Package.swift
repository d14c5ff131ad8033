// swift-tools-version: 6.2
import PackageDescription

// Strict everywhere; a consumer's newer compiler must not break on a new warning, so only this package's own checks make
// them errors. CI would be the consumer's variable too.
let swiftSettings: [SwiftSetting] =
  [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ] + (Context.environment["MSAUTH_STRICT"] == nil ? [] : [.treatAllWarnings(as: .error)])

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
    executable(
      "msauth",
      [
        "MSAuth", "MSAuthAzure", "MSAuthOAuth", "MSAuthPreferences", "MSAuthCore", "MSAuthDesktop", "MSAuthUnix",
        argumentParser,
      ]
    ),
    executable(
      "msauth-demo",
      ["DemoProvider", "MSAuthCrypto", "MSAuthUnix", argumentParser, subprocess, systemPackage]
    ),
    // The tutorial's application, with a page in the browser for its screen.
    executable(
      "msauth-app",
      [
        "MSAL", "MSAuth", "MSAuthDesktop", "MSAuthCrypto", "MSAuthLoopback", "MSAuthPreferences", "MSAuthCore",
        "MSAuthUnix", "MSAuthTransport",
      ],
      resources: [.embedInCode("Page/index.html"), .embedInCode("Page/app.css"), .embedInCode("Page/app.js")]
    ),

    // Libraries.
    module(
      "MSAuth",
      [
        "MSAuthOAuth", "MSAuthJOSE", "MSAuthLoopback", "MSAuthPages", "MSAuthCache", "MSAuthTransport", "MSAuthDesktop",
        "MSAuthCrypto", "MSAuthCore", "MSAuthUnix",
      ]
    ),
    // MSAL's names for code that comes from macOS; it may use Foundation.
    module("MSAL", ["MSAuth", "MSAuthCore", "MSAuthUnix"]),
    // A fake for tests of applications.
    module("MSAuthTesting", ["MSAuth"]),

    // The configuration file, environment and flags.
    module(
      "MSAuthPreferences",
      ["MSAuth", "MSAuthOAuth", "MSAuthDesktop", "MSAuthCore", "MSAuthUnix"],
      path: "Sources/Preferences"
    ),

    // Tokens for Azure SDKs and tools, and for container registries.
    module(
      "MSAuthAzure",
      [
        "MSAuth", "MSAuthLoopback", "MSAuthTransport", "MSAuthDesktop", "MSAuthCrypto", "MSAuthCore", "MSAuthUnix",
      ],
      path: "Sources/AzureEndpoint"
    ),

    // What MSAuth brings together; none of these imports another.
    module("MSAuthOAuth", ["MSAuthJOSE", "MSAuthCrypto", "MSAuthCore"], path: "Sources/OAuth"),
    module("MSAuthLoopback", ["CMSAuthLinux", "MSAuthCore", "MSAuthUnix"], path: "Sources/Loopback"),
    module(
      "MSAuthPages",
      ["MSAuthCrypto", "MSAuthCore"],
      path: "templates",
      resources: [.embedInCode("page.html"), .embedInCode("style.css"), .embedInCode("texts.json")]
    ),
    module("MSAuthCache", ["CMSAuthGLib", "MSAuthCrypto", "MSAuthCore", "MSAuthUnix"], path: "Sources/TokenCache"),
    module("MSAuthTransport", ["CMSAuthCurl", "MSAuthCore", "MSAuthUnix"], path: "Sources/Transport"),
    module(
      "MSAuthDesktop",
      ["CMSAuthGLib", "MSAuthCore", "MSAuthUnix", subprocess, systemPackage],
      path: "Sources/Desktop"
    ),

    // What everybody may import.
    module("MSAuthCore", [], path: "Sources/Core"),
    // Not called System: swift-subprocess imports any module of that name as Apple's.
    module("MSAuthUnix", ["CMSAuthLinux", "MSAuthCore"], path: "Sources/Unix"),
    // Signed tokens and keys.
    module("MSAuthJOSE", ["MSAuthCrypto", "MSAuthCore"], path: "Sources/JOSE"),
    module("MSAuthCrypto", ["CMSAuthCrypto", "MSAuthCore", "MSAuthUnix"], path: "Sources/LibCrypto"),
    .target(name: "CMSAuthLinux", path: "Sources/CLinux"),
    // The libraries that are opened on first use.
    .target(name: "CMSAuthCrypto", path: "Sources/CLibCrypto"),
    .target(name: "CMSAuthCurl", path: "Sources/CLibCurl"),
    .target(name: "CMSAuthGLib", path: "Sources/CGLib"),

    // An identity provider to try msauth against.
    module(
      "DemoProvider",
      [
        "MSAuthJOSE", "MSAuthCrypto", "MSAuthCore", "MSAuthTransport", flyingSocks,
        .product(name: "FlyingFox", package: "FlyingFox"),
      ]
    ),

    // What tests share.
    module("TestSupport", ["MSAuthCore", "MSAuthCache"], path: "Tests/Fixtures/Support"),
    // A process that tests of the cache may kill, or give a keyring of its own.
    executable(
      "token-cache-driver",
      ["MSAL", "MSAuth", "MSAuthCache", "MSAuthCore", "MSAuthUnix"],
      path: "Tests/Fixtures/TokenCacheDriver"
    ),

    // One module at a time.
    tests("Core", "Unit", ["MSAuthCore", "TestSupport"]),
    tests("LibCrypto", "Unit", ["MSAuthCrypto", "MSAuthCore", "TestSupport"]),
    tests("Unix", "Unit", ["MSAuthCore", "TestSupport", "MSAuthUnix"]),
    tests("JOSE", "Unit", ["MSAuthJOSE", "MSAuthCrypto", "MSAuthCore", "TestSupport"]),
    tests("OAuth", "Unit", ["MSAuthOAuth", "MSAuthJOSE", "MSAuthCrypto", "MSAuthCore", "TestSupport"]),
    tests("Loopback", "Unit", ["MSAuthLoopback", "MSAuthCore", "TestSupport", flyingSocks]),
    tests("Pages", "Unit", ["MSAuthPages", "MSAuthCrypto", "MSAuthCore"]),
    tests("TokenCache", "Unit", ["MSAuthCache", "MSAuthCore", "TestSupport", "MSAuthUnix", "token-cache-driver"]),
    tests("Transport", "Unit", ["MSAuthTransport", "MSAuthCore", "TestSupport", flyingSocks]),
    tests("Desktop", "Unit", ["MSAuthDesktop", "MSAuthCore", "TestSupport"]),
    tests(
      "MSAuth",
      "Unit",
      [
        "MSAuth", "MSAuthCore", "MSAuthDesktop", "MSAuthCrypto", "MSAuthLoopback", "MSAuthOAuth", "MSAuthPages",
        "TestSupport", "MSAuthCache",
        "MSAuthTransport",
      ]
    ),
    tests("MSAuthTesting", "Unit", ["MSAuthTesting", "MSAuth"]),
    tests(
      "AzureEndpoint",
      "Unit",
      ["MSAuthAzure", "MSAuthTesting", "MSAuth", "MSAuthLoopback", "MSAuthCore", "TestSupport"]
    ),
    tests("Preferences", "Unit", ["MSAuthPreferences", "MSAuth", "MSAuthCore", "TestSupport", "MSAuthUnix"]),

    // The libraries in this process, against the demo provider.
    tests(
      "DemoProvider",
      "Library",
      ["DemoProvider", "MSAuthJOSE", "MSAuthOAuth", "MSAuthCrypto", "MSAuthCore", "TestSupport", "MSAuthTransport"]
    ),
    tests(
      "MSAL",
      "Library",
      [
        "MSAL", "MSAuth", "DemoProvider", "MSAuthDesktop", "MSAuthCrypto", "MSAuthCore", "TestSupport", "MSAuthCache",
        "MSAuthTransport",
      ],
      exclude: ["API.md"]
    ),
    tests("PortedApp", "Library", ["DemoProvider", "TestSupport"], exclude: ["App"]),
    tests(
      "Conformance",
      "Library",
      [
        "MSAuth", "DemoProvider", "MSAuthDesktop", "MSAuthCrypto", "MSAuthOAuth", "MSAuthCore", "TestSupport",
        "MSAuthCache", "MSAuthTransport",
      ],
      exclude: ["CONFORMANCE.md"]
    ),

    // The binary, from outside.
    tests("Commands", "CommandLine", ["msauth", "TestSupport", "MSAuthCore"]),
    tests(
      "Providers",
      "CommandLine",
      ["msauth", "MSAuth", "DemoProvider", "MSAuthCrypto", "MSAuthOAuth", "TestSupport", "MSAuthCore"]
    ),
    tests(
      "Processes",
      "CommandLine",
      ["msauth", "MSAuth", "DemoProvider", "MSAuthCrypto", "MSAuthCache", "TestSupport", "MSAuthCore"],
      resources: [.copy("Resources")]
    ),

    // With a real browser.
    tests(
      "App",
      "Browser",
      [
        "msauth-app", "msauth", "MSAL", "MSAuth", "DemoProvider", "MSAuthDesktop", "MSAuthCrypto", "MSAuthLoopback",
        "MSAuthCore",
        "TestSupport",
        "MSAuthCache", "MSAuthTransport",
      ]
    ),
    tests("EndToEnd", "Browser", ["msauth", "DemoProvider", "MSAuthPages", "TestSupport", "MSAuthCore"]),
  ]
)

// Built by Tests/fuzz alone.
if Context.environment["MSAUTH_FUZZING"] != nil {
  package.targets.append(
    executable(
      "fuzzers",
      [
        "MSAuthCore", "MSAuthJOSE", "MSAuthCrypto", "MSAuthLoopback", "MSAuth", "MSAuthOAuth", "MSAuthPreferences",
        "MSAuthCache",
      ],
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
