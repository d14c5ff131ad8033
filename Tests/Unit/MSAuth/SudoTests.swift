import MSAuthDesktop
import TestSupport
import Testing

@testable import MSAuth

@Suite("root by sudo")
struct SudoTests {
  /// A session of root's, by sudo from ann's.
  private func session(_ home: Home) -> DesktopSession {
    DesktopSession(environment: home.environment.merging(["SUDO_USER": "ann"]) { $1 }, effectiveUser: 0)
  }

  @Test("the home directory of who called sudo is not used; a file that is named is")
  func home() async throws {
    let home = try Home()
    let folders = try XDGDirectories(environment: home.environment)
    // The tests of an ordinary user are ann's own.
    if geteuid() == 0 { #expect(chown(home.path("state"), 12_002, 12_002) == 0) }
    for store in [ClientConfiguration.Store.automatic, .secretService, .file(nil)] {
      let error = await #expect(throws: AuthenticationError.self, "\(store)") {
        _ = try await store.choice(in: folders, session: session(home))
      }
      #expect(error?.reason == "sudo" && error?.hint == .withoutSudo(as: "ann"), "\(store)")
    }
    _ = try await ClientConfiguration.Store.file(home.path("own.json")).choice(in: folders, session: session(home))
  }

  @Test("root's own home directory is used, by sudo too")
  func own() async throws {
    let home = try Home()
    let environment = home.environment.merging(["XDG_STATE_HOME": "/nonexistent/state"]) { $1 }
    let folders = try XDGDirectories(environment: environment)
    _ = try await ClientConfiguration.Store.file(nil).choice(in: folders, session: session(home))
  }
}
