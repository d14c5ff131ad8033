import Synchronization

/// A C file of the fixtures, compiled once for the tests that use it at the same time.
package final class CompiledFixture: Sendable {
  private struct Weak {
    weak var fixture: CompiledFixture?
  }

  private static let current = Mutex<[String: Weak]>([:])

  package let path: String
  private let home: Home

  private init(in home: Home) { (self.home, path) = (home, home.path("compiled")) }

  package static func compiling(_ name: String, _ options: String...) async throws -> CompiledFixture {
    if let fixture = current.withLock({ $0[name]?.fixture }) { return fixture }
    let fixture = CompiledFixture(in: try Home())
    try await ChildProcess.output(of: ["cc", "-o", fixture.path] + options + [BuiltProducts.fixture(name)])
    current.withLock { $0[name] = Weak(fixture: fixture) }
    return fixture
  }
}
