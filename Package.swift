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
  path: String? = nil
) -> Target {
  .target(name: name, dependencies: dependencies, path: path, swiftSettings: swiftSettings)
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

/// Tests at one of the four levels, `Unit`, `Library`, `CommandLine` and `Browser`, in a folder of Tests.
func tests(
  _ folder: String,
  _ dependencies: [Target.Dependency],
  exclude: [String] = [],
  resources: [Resource]? = nil
) -> Target {
  .testTarget(
    name: folder.split(separator: "/").suffix(1).joined() + "Tests",
    dependencies: dependencies,
    path: "Tests/\(folder)",
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
    .library(name: "MSAuthMCP", targets: ["MSAuthMCP"]),
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
        "MSAuth", "MSAuthAzure", "MSAuthMCP", "MSAuthOAuth", "MSAuthPreferences", "MSAuthCore", "MSAuthDesktop",
        "MSAuthTransport", "MSAuthUnix", "CMSAuthLinux",
        argumentParser,
      ]
    ),
    executable(
      "msauth-demo",
      [
        "DemoProvider", "MSAuthCrypto", "MSAuthCore", "MSAuthUnix", argumentParser, subprocess, systemPackage,
      ],
      path: "Sources/Demo/msauth-demo"
    ),
    // The tutorial's application, with a page in the browser for its screen.
    executable(
      "msauth-app",
      [
        "MSAL", "MSAuth", "MSAuthDesktop", "MSAuthCrypto", "MSAuthLoopback", "MSAuthPreferences", "MSAuthCore",
        "MSAuthUnix", "MSAuthTransport",
      ],
      path: "Sources/Demo/msauth-app",
      resources: [.embedInCode("Page/index.html"), .embedInCode("Page/app.css"), .embedInCode("Page/app.js")]
    ),

    // Libraries.
    module(
      "MSAuth",
      [
        "MSAuthOAuth", "MSAuthJOSE", "MSAuthLoopback", "MSAuthPages", "MSAuthCache", "MSAuthTransport", "MSAuthDesktop",
        "MSAuthBroker", "MSAuthCrypto", "MSAuthCore", "MSAuthUnix",
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
      path: "Sources/Parts/Preferences"
    ),

    // Sign-in for MCP servers, and the bridge to them.
    module("MSAuthMCP", ["MSAuth", "MSAuthTransport", "MSAuthUnix", "MSAuthCrypto", "MSAuthDesktop"]),

    // Tokens for Azure SDKs and tools, and for container registries.
    module(
      "MSAuthAzure",
      [
        "MSAuth", "MSAuthLoopback", "MSAuthTransport", "MSAuthDesktop", "MSAuthCrypto", "MSAuthCore", "MSAuthUnix",
      ]
    ),

    // What MSAuth brings together; none of these imports another.
    module("MSAuthOAuth", ["MSAuthJOSE", "MSAuthCrypto", "MSAuthCore"], path: "Sources/Parts/OAuth"),
    module("MSAuthLoopback", ["CMSAuthLinux", "MSAuthCore", "MSAuthUnix"], path: "Sources/Parts/Loopback"),
    // Its resources are elsewhere: templates has only what a designer or translator edits.
    .target(
      name: "MSAuthPages",
      dependencies: ["MSAuthCrypto", "MSAuthCore"],
      path: ".",
      exclude: ["README.md", "Tests"]
        + ["Demo", "MSAL", "MSAuth", "MSAuthAzure", "MSAuthMCP", "MSAuthTesting", "msauth", "packaging"].map {
          "Sources/\($0)"
        }
        + [
          "Broker", "CGLib", "CLibCrypto", "CLibCurl", "CLinux", "Core", "Desktop", "JOSE", "LibCrypto", "Loopback",
          "OAuth", "Preferences", "TokenCache", "Transport", "Unix",
        ].map { "Sources/Parts/\($0)" },
      sources: ["Sources/Parts/Pages"],
      resources: ["page.html", "style.css", "texts.json"].map { .embedInCode("templates/\($0)") },
      swiftSettings: swiftSettings
    ),
    module(
      "MSAuthCache",
      ["CMSAuthGLib", "MSAuthCrypto", "MSAuthCore", "MSAuthUnix"],
      path: "Sources/Parts/TokenCache"
    ),
    module("MSAuthTransport", ["CMSAuthCurl", "MSAuthCore", "MSAuthUnix"], path: "Sources/Parts/Transport"),
    module(
      "MSAuthDesktop",
      ["CMSAuthGLib", "MSAuthCore", "MSAuthUnix", subprocess, systemPackage],
      path: "Sources/Parts/Desktop"
    ),

    module("MSAuthBroker", ["CMSAuthGLib", "MSAuthCore", "MSAuthUnix"], path: "Sources/Parts/Broker"),

    // What everybody may import.
    module("MSAuthCore", [], path: "Sources/Parts/Core"),
    // Not called System: swift-subprocess imports any module of that name as Apple's.
    module("MSAuthUnix", ["CMSAuthGLib", "CMSAuthLinux", "MSAuthCore"], path: "Sources/Parts/Unix"),
    // Signed tokens and keys.
    module("MSAuthJOSE", ["MSAuthCrypto", "MSAuthCore"], path: "Sources/Parts/JOSE"),
    module("MSAuthCrypto", ["CMSAuthCrypto", "MSAuthCore", "MSAuthUnix"], path: "Sources/Parts/LibCrypto"),
    .target(name: "CMSAuthLinux", path: "Sources/Parts/CLinux"),
    // The libraries that are opened on first use.
    .target(name: "CMSAuthCrypto", path: "Sources/Parts/CLibCrypto"),
    .target(name: "CMSAuthCurl", path: "Sources/Parts/CLibCurl"),
    .target(name: "CMSAuthGLib", path: "Sources/Parts/CGLib"),

    // An identity provider to try msauth against.
    module(
      "DemoProvider",
      [
        "MSAuthJOSE", "MSAuthCrypto", "MSAuthCore", "MSAuthTransport", flyingSocks,
        .product(name: "FlyingFox", package: "FlyingFox"),
      ],
      path: "Sources/Demo/DemoProvider"
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
    tests("Unit/Core", ["MSAuthCore", "TestSupport"]),
    tests("Unit/LibCrypto", ["MSAuthCrypto", "MSAuthCore", "TestSupport"]),
    tests("Unit/Unix", ["MSAuthCore", "TestSupport", "MSAuthUnix"]),
    tests("Unit/JOSE", ["MSAuthJOSE", "MSAuthCrypto", "MSAuthCore", "TestSupport"]),
    tests("Unit/OAuth", ["MSAuthOAuth", "MSAuthJOSE", "MSAuthCrypto", "MSAuthCore", "TestSupport"]),
    tests("Unit/Loopback", ["MSAuthLoopback", "MSAuthCore", "TestSupport", flyingSocks]),
    tests("Unit/Pages", ["MSAuthPages", "MSAuthCrypto", "MSAuthCore"]),
    tests("Unit/TokenCache", ["MSAuthCache", "MSAuthCore", "TestSupport", "MSAuthUnix", "token-cache-driver"]),
    tests("Unit/Transport", ["MSAuthTransport", "MSAuthCore", "TestSupport", flyingSocks]),
    tests("Unit/Desktop", ["MSAuthDesktop", "MSAuthCore", "TestSupport"]),
    tests("Unit/Broker", ["MSAuthBroker", "MSAuthCore", "TestSupport"]),
    tests(
      "Unit/MSAuth",
      [
        "MSAuth", "MSAuthCore", "MSAuthDesktop", "MSAuthCrypto", "MSAuthLoopback", "MSAuthOAuth", "MSAuthPages",
        "TestSupport", "MSAuthCache", "MSAuthTransport",
      ]
    ),
    tests(
      "Unit/MSAuthMCP",
      ["MSAuthMCP", "MSAuth", "MSAuthCore", "MSAuthCache", "MSAuthDesktop", "MSAuthTransport", "TestSupport"]
    ),
    tests("Unit/MSAuthTesting", ["MSAuthTesting", "MSAuth"]),
    tests(
      "Unit/MSAuthAzure",
      ["MSAuthAzure", "MSAuthTesting", "MSAuth", "MSAuthLoopback", "MSAuthCore", "TestSupport"]
    ),
    tests("Unit/Preferences", ["MSAuthPreferences", "MSAuth", "MSAuthCore", "TestSupport", "MSAuthUnix"]),
    tests("Unit/DemoApp", ["msauth-app", "MSAuthLoopback", "MSAuthCore"]),

    // The libraries in this process, against the demo provider.
    tests(
      "Library/DemoProvider",
      ["DemoProvider", "MSAuthJOSE", "MSAuthOAuth", "MSAuthCrypto", "MSAuthCore", "TestSupport", "MSAuthTransport"]
    ),
    tests(
      "Library/MSAL",
      [
        "MSAL", "MSAuth", "DemoProvider", "MSAuthDesktop", "MSAuthCrypto", "MSAuthCore", "TestSupport", "MSAuthCache",
        "MSAuthTransport",
      ],
      exclude: ["API.md"]
    ),
    tests("Library/PortedApp", ["DemoProvider", "TestSupport"], exclude: ["App"]),
    tests(
      "Library/Conformance",
      [
        "MSAuth", "DemoProvider", "MSAuthDesktop", "MSAuthCrypto", "MSAuthOAuth", "MSAuthCore", "TestSupport",
        "MSAuthCache", "MSAuthTransport",
      ],
      exclude: ["CONFORMANCE.md"]
    ),

    // The binary, from outside.
    tests(
      "CommandLine",
      [
        "msauth", "msauth-demo", "MSAuth", "DemoProvider", "MSAuthCrypto", "MSAuthOAuth", "MSAuthCore", "TestSupport",
        "MSAuthUnix", argumentParser,
      ],
      resources: [.copy("Resources")]
    ),

    // With a real browser.
    tests(
      "Browser/App",
      [
        "msauth-app", "msauth", "MSAL", "MSAuth", "DemoProvider", "MSAuthDesktop", "MSAuthCrypto", "MSAuthCore",
        "TestSupport", "MSAuthCache", "MSAuthTransport",
      ]
    ),
    tests("Browser/EndToEnd", ["msauth", "DemoProvider", "MSAuthPages", "TestSupport", "MSAuthCore"]),
  ]
)

// Built by Tests/fuzz alone.
if Context.environment["MSAUTH_FUZZING"] != nil {
  package.targets.append(
    executable(
      "fuzzers",
      [
        "MSAuthCore", "MSAuthJOSE", "MSAuthCrypto", "MSAuthLoopback", "MSAuth", "MSAuthMCP", "MSAuthOAuth",
        "MSAuthPreferences", "MSAuthCache", "MSAuthBroker",
      ],
      path: "Tests/Fuzzing"
    )
  )
}

// Tests/sanitize has a sanitizer in msauth and in the process of the unit and library tests; those that drive msauth from
// outside are of the ordinary build.
if Context.environment["MSAUTH_SANITIZING"] != nil {
  package.targets.removeAll { target in
    ["Tests/CommandLine", "Tests/Browser"].contains { target.path?.hasPrefix($0) == true }
  }
}
