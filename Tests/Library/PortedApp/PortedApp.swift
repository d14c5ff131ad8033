import DemoProvider
import Foundation
import TestSupport

/// The tutorial's application: a package of its own, outside this repository, which depends on it by path.
struct PortedApp: Sendable {
  let provider: DemoProvider
  private let program: String

  /// One build for all tests, since it takes minutes when nothing of it is there yet.
  static let shared = Task { try await PortedApp() }

  /// How long the build may take: half an hour tells a hang from a slow machine.
  private static let buildPatience = 1800.0

  private init() async throws {
    provider = try await DemoProvider.start()
    let home = try Home()
    try Self.layOut(in: home, for: provider)
    // The folder below .build is kept: only what changed is built again.
    let scratch = BuiltProducts.root.appending(path: ".build/ported-app").path
    let own = ProcessInfo.processInfo.environment
    let arguments = ["build", "--package-path", home.path("app"), "--scratch-path", scratch]
    let build = try ChildProcess(["/usr/bin/env", "swift"] + arguments, environment: own)
    let ending = try await build.end(by: .after(Self.buildPatience))
    guard ending == .exited(0) else { throw TestFailure("swift build: \(ending)\n\(build.stdout)\n\(build.stderr)") }
    // The binary is taken away, since the scratch folder belongs to whoever builds next.
    program = home.path("PortedApp")
    try FileManager.default.copyItem(atPath: scratch + "/debug/PortedApp", toPath: program)
    keep(home)
  }

  /// Copies the package and changes what the tutorial tells its reader to change, and nothing else.
  private static func layOut(in home: Home, for provider: DemoProvider) throws {
    let fixture = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "App")
    let constants = [
      "/path/of/this/repository": BuiltProducts.root.path,
      "Your_Application_Id_Here": provider.clientID,
      "https://graph.microsoft.com/": provider.graphURL + "/",
      "https://login.microsoftonline.com/common": provider.entraAuthority(),
    ]
    let files = FileManager.default.enumerator(atPath: fixture.path)?.compactMap { $0 as? String } ?? []
    for file in files where file.hasSuffix(".swift") {
      let text = try String(contentsOf: fixture.appending(path: file), encoding: .utf8)
      try home.write(constants.reduce(text) { $0.replacing($1.key, with: $1.value) }, to: "app/\(file)")
    }
    // The same versions as this repository's, so that nothing has to be asked of the network.
    let resolved = BuiltProducts.root.appending(path: "Package.resolved")
    if FileManager.default.fileExists(atPath: resolved.path) {
      try home.write(String(contentsOf: resolved, encoding: .utf8), to: "app/Package.resolved")
    }
  }

  /// Starts it in a home of its own.
  ///
  /// - Returns: The running application.
  /// - Throws: ``TestFailure`` when it cannot be started.
  func start() throws -> PortedAppRun { try PortedAppRun(program, provider: provider) }
}

/// Keeps a folder until the test process ends.
private func keep(_ home: Home) { _ = Unmanaged.passRetained(home) }
