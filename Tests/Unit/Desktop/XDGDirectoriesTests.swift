import Foundation
import MSAuthCore
import Testing

@testable import MSAuthDesktop

@Suite("XDG directories")
struct XDGDirectoriesTests {
  @Test("the defaults are in the home directory; the runtime directory has no default")
  func defaults() throws {
    let directories = try XDGDirectories(environment: ["HOME": "/home/ann"])
    let expected = [".config", ".local/state", ".cache"].map { "/home/ann/\($0)/msauth" }
    #expect([directories.config, directories.state, directories.cache] == expected)
    #expect(directories.runtime == nil && directories.warnings.isEmpty)
  }

  @Test("each variable sets its own directory")
  func moved() throws {
    let directories = try XDGDirectories(environment: [
      "XDG_CONFIG_HOME": "/c", "XDG_STATE_HOME": "/s/", "XDG_CACHE_HOME": "/k", "XDG_RUNTIME_DIR": "/r/",
    ]) { nil }
    #expect([directories.config, directories.state, directories.cache] == ["/c/msauth", "/s/msauth", "/k/msauth"])
    #expect(directories.runtime == "/r")
  }

  @Test("a relative value is ignored and reported")
  func relative() throws {
    let directories = try XDGDirectories(environment: [
      "HOME": "/h", "XDG_STATE_HOME": "state", "XDG_RUNTIME_DIR": "./r",
    ])
    #expect(directories.state == "/h/.local/state/msauth" && directories.runtime == nil)
    #expect(directories.warnings.map { String($0.prefix { $0 != " " }) } == ["XDG_STATE_HOME", "XDG_RUNTIME_DIR"])
    #expect(directories.warnings.first?.hasSuffix(": state") == true)
  }

  @Test("a value that lost bytes isn't used, since it means another directory")
  func lostBytes() {
    let environment = ["HOME": "/h\u{FFFD}", "XDG_CONFIG_HOME": "/c\u{FFFD}", "XDG_DATA_HOME": "/d\u{FFFD}"]
    let error = #expect(throws: AuthenticationError.self) { try XDGDirectories(environment: environment) }
    #expect(error?.message == "HOME isn't UTF-8")
    let applications = ApplicationDirectories(environment: environment)
    #expect(applications.home == XDGDirectories.homeInPasswordDatabase())
    #expect((applications.data + applications.associations).allSatisfy { !$0.contains("\u{FFFD}") })
  }

  @Test("without HOME, the password database is used; without both, there is an error")
  func noHome() throws {
    #expect(try XDGDirectories(environment: [:]) { "/var/ann" }.config == "/var/ann/.config/msauth")
    #expect(try XDGDirectories(environment: ["HOME": "relative"]) { "/var/ann" }.config == "/var/ann/.config/msauth")
    #expect(XDGDirectories.homeInPasswordDatabase()?.hasPrefix("/") == true)
    let error = #expect(throws: AuthenticationError.self) { try XDGDirectories(environment: [:]) { nil } }
    #expect(error.map(String.init(describing:))?.contains("XDG_CONFIG_HOME") == true)
  }
}
