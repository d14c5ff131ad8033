/// Paths of the products of the build and of `Tests/run`.
package enum BuiltProducts {
  /// The directory of the test bundle and the executables.
  package static let folder: URL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()

  /// The package's directory.
  package static let root: URL = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// A program or a script beside this directory.
  package static func fixture(_ name: String) -> String { root.appending(path: "Tests/Fixtures/\(name)").path }

  /// The built `msauth`, or `MSAUTH_TEST_PROGRAM`: a release build uses a fifth of the CPU time.
  package static var msauth: String {
    get throws {
      if let other = ProcessInfo.processInfo.environment["MSAUTH_TEST_PROGRAM"] {
        return try existing(URL(filePath: other), "MSAUTH_TEST_PROGRAM names it")
      }
      return try existing(folder.appending(path: "msauth"), "build it with: swift build --product msauth")
    }
  }

  package static var demo: String {
    get throws {
      try existing(folder.appending(path: "msauth-demo"), "build it with: swift build --product msauth-demo")
    }
  }

  package static var app: String {
    get throws { try existing(folder.appending(path: "msauth-app"), "build it with: swift build --product msauth-app") }
  }

  /// The tutorial's application.
  package static var portedApp: String {
    get throws { try existing(root.appending(path: ".build/ported-app/debug/PortedApp"), "build it with: Tests/run") }
  }

  /// The `token-cache-driver`, which cache tests may kill.
  package static var tokenCacheDriver: String {
    get throws {
      try existing(folder.appending(path: "token-cache-driver"), "build it with: swift build --build-tests")
    }
  }

  /// A program of the tests' Python environment, such as `python` or `oidc-provider-mock`.
  package static func python(_ program: String = "python") throws -> String {
    try existing(root.appending(path: ".build/test-python/bin/\(program)"), "install it with: Tests/run")
  }

  /// The package directory of the tests' Python environment.
  package static func pythonPackages() throws -> String {
    let library = root.appending(path: ".build/test-python/lib")
    let versions = try FileManager.default.contentsOfDirectory(atPath: library.path)
    guard let version = versions.first(where: { $0.hasPrefix("python3") }) else {
      throw TestFailure("\(library.path) has no Python packages; install them with: Tests/run")
    }
    return library.appending(path: version + "/site-packages").path
  }

  /// The source of axe-core, which checks a page's accessibility.
  package static func axe() throws -> String {
    let file = try pythonPackages() + "/axe_playwright_python/axe.min.js"
    guard let text = FileManager.default.contents(atPath: file) else {
      throw TestFailure("\(file) is missing; install it with: Tests/run")
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Where to store screenshots (`MSAUTH_TEST_SCREENSHOTS`), if wanted.
  static let screenshots: URL? =
    ProcessInfo.processInfo.environment["MSAUTH_TEST_SCREENSHOTS"].map { URL(filePath: $0) }

  private static func existing(_ file: URL, _ advice: String) throws -> String {
    guard FileManager.default.isExecutableFile(atPath: file.path) else {
      throw TestFailure("\(file.path) is missing; \(advice)")
    }
    return file.path
  }
}
