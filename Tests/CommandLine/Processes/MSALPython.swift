import DemoProvider
import TestSupport

/// PyPI's `msal` and `msal-extensions` on the cache file of a fixture.
struct MSALPython: Sendable {
  let fixture: DemoProviderFixture
  /// The application.
  let clientID: String
  /// The tenant part of its authority.
  let tenant: String

  /// Runs one command of the script.
  func run(_ arguments: String..., by deadline: Deadline = .after(stepTimeout)) async throws -> JSONValue {
    let child = try start(arguments)
    guard try await child.end(by: deadline) == .exited(0), let line = child.stdout.split(separator: "\n").last else {
      throw TestFailure("msal \(arguments): \(child.stdout)\n\(child.stderr)")
    }
    return try JSONValue(parsing: line.utf8)
  }

  func start(_ arguments: [String]) throws -> ChildProcess {
    let script = Bundle.module.url(forResource: "msal_client", withExtension: "py", subdirectory: "Resources")
    guard let script else { throw TestFailure("msal_client.py is not in the test bundle") }
    var environment = fixture.home.environment
    var (python, cache) = (try BuiltProducts.python(), DemoProviderFixture.cacheFile)
    if let keyring = fixture.keyring {
      // Debian's Python alone finds GObject's bindings, and takes msal from the tests' own.
      environment.merge(keyring.environment) { $1 }
      environment["PYTHONPATH"] = try BuiltProducts.pythonPackages()
      (python, cache) = ("/usr/bin/python3", DemoProviderFixture.signalFile)
    }
    return try ChildProcess(
      [python, script.path, fixture.provider.baseURL, fixture.home.path(cache), clientID, tenant] + arguments,
      environment: environment
    )
  }

  /// Signs somebody in by device code.
  func signIn(_ person: String) async throws -> JSONValue {
    let child = try start(["sign-in"])
    let begun = try await eventually("the device's code") {
      if child.ending != nil, !child.stdout.contains("\n") { throw TestFailure("msal sign-in: \(child.stderr)") }
      return try child.stdout.split(separator: "\n").first.map { try JSONValue(parsing: $0.utf8) }
    }
    guard let address = begun["address"]?.string, let code = begun["code"]?.string else {
      throw TestFailure("msal sign-in: \(child.stdout)")
    }
    _ = try await ScriptedBrowser().walk(from: address, as: person, userCode: code)
    guard try await child.end() == .exited(0), let line = child.stdout.split(separator: "\n").last else {
      throw TestFailure("msal sign-in: \(child.stdout)\n\(child.stderr)")
    }
    return try JSONValue(parsing: line.utf8)
  }
}
