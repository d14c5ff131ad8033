import Core
import MSAuth
import TestSupport
import Testing

@testable import Preferences

@Suite("a change to a configuration file")
struct ConfigurationDraftTests {
  private let home: Home
  private let path: String

  init() throws {
    home = try Home()
    path = home.path("config/msauth/config.json")
  }

  private func setting(_ key: String, to word: String) throws -> ConfigurationDraft {
    try ConfigurationDraft(setting: key, to: [word], profile: nil, path: path, environment: home.environment)
  }

  @Test("is not written over what somebody else has written since it was read, also where there was no file")
  func changedMeanwhile() throws {
    let first = try setting("store", to: "file")
    let second = try setting("timeout", to: "60")
    try first.write(keepingCopy: false)
    for late in [second, first] {
      let error = try #require(
        #expect(throws: AuthenticationError.self) { try late.write(keepingCopy: false) }
      )
      #expect(error.code == .invalidConfiguration && error.message.contains("changed meanwhile"), "\(error)")
    }
    #expect(home.read("config/msauth/config.json") == "{\n  \"store\": \"file\"\n}\n")

    try setting("timeout", to: "60").write(keepingCopy: false)
    #expect(
      try JSON(parsing: (home.read("config/msauth/config.json") ?? "").utf8) == ["store": "file", "timeout": 60]
    )
  }
}
