import MSAuth
@testable import MSAuthUnix
import TestSupport
import Testing

@testable import MSAuthPreferences

@Suite("changing a configuration file")
struct ConfigurationDraftTests {
  private let home: Home
  private let path: String

  init() throws {
    home = try Home()
    path = home.path("config/msauth/config.json")
  }

  private func setting(_ key: String, to word: String) throws -> ConfigurationDraft { try setting(key, to: [word]) }

  private func setting(_ key: String, to words: [String]?) throws -> ConfigurationDraft {
    try ConfigurationDraft(setting: key, to: words, profile: nil, path: path)
  }

  private func write(_ draft: ConfigurationDraft, keepingCopy: Bool = false) throws {
    _ = try ConfigurationDraft.write(keepingCopy: keepingCopy, environment: home.environment, Cancellation()) { draft }
  }

  @Test("a change made since reading isn't overwritten, nor a new file")
  func changedMeanwhile() throws {
    let first = try setting("store", to: "file")
    let second = try setting("timeout", to: "60")
    try write(first)
    for late in [second, first] {
      let error = try #require(throws: AuthenticationError.self) { try write(late) }
      #expect(error.code == .invalidConfiguration && error.message.contains("changed in the meantime"), "\(error)")
    }
    #expect(home.read("config/msauth/config.json") == "{\n  \"store\": \"file\"\n}\n")

    try write(setting("timeout", to: "60"))
    #expect(try home.json("config/msauth/config.json") == ["store": "file", "timeout": 60])
  }

  /// Where the file is before the first change.
  enum Place: Sendable, CaseIterable {
    case nowhere, here, behindLink, behindLinkToDirectory
  }

  @Test("concurrent changes are all written, and no other file is left", arguments: Place.allCases)
  func together(_ place: Place) async throws {
    let (folder, target) = (home.path("config/msauth"), home.path("home/dots"))
    switch place {
    case .nowhere: break
    case .here: try home.write("{}", to: "config/msauth/config.json")
    case .behindLink:
      try home.write("{}", to: "home/dots/config.json")
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target + "/config.json")
    case .behindLinkToDirectory:
      try home.write("{}", to: "home/dots/config.json")
      try FileManager.default.createSymbolicLink(atPath: folder, withDestinationPath: target)
    }
    // Half of them use another path, if there is one.
    let paths = FileManager.default.fileExists(atPath: target) ? [path, target + "/config.json"] : [path, path]
    let environment = home.environment
    try await withThrowingTaskGroup { group in
      for number in 0..<24 {
        group.addTask {
          _ = try await BackgroundThread.run {
            // Longer than a busy machine needs.
            try ConfigurationDraft.write(within: .seconds(300), environment: environment, $0) {
              let (profile, path) = ("p\(number)", paths[number % 2])
              return try ConfigurationDraft(setting: "client_id", to: ["c\(number)"], profile: profile, path: path)
            }
          }
        }
      }
      try await group.waitForAll()
    }
    let file = try JSONValue(parsing: try String(contentsOfFile: path, encoding: .utf8).utf8)
    for number in 0..<24 { #expect(file["profiles"]?["p\(number)"]?["client_id"] == .string("c\(number)")) }
    let directory = place == .behindLink || place == .behindLinkToDirectory ? "home/dots" : "config/msauth"
    #expect(home.files(below: directory) == ["config.json"])
  }

  @Test("a change fails if the lock is held, or the command is canceled", arguments: [Duration.zero, .seconds(300)])
  func locked(timeout: Duration) throws {
    let text = "{\"store\": \"file\"}"
    try home.write(text, to: "config/msauth/config.json")
    func write(_ key: String, _ word: String, _ cancellation: Cancellation = Cancellation()) throws {
      _ = try ConfigurationDraft.write(within: timeout, environment: home.environment, cancellation) {
        try setting(key, to: word)
      }
    }
    let lock = try waitForLock(of: path, in: home.path("cache/msauth"), within: .zero, Cancellation())
    // An unnecessary change needs no lock.
    try write("store", "file")
    let cancellation = Cancellation()
    if timeout > .zero { cancellation.raise() }
    let error = #expect(throws: AuthenticationError.self) { try write("timeout", "60", cancellation) }
    #expect(error?.message.contains("in use") == true, "\(error as Any)")
    close(lock)
    #expect(home.read("config/msauth/config.json") == text)
    // Other users can lock a directory that they can read.
    let foreign = lockDirectory(home.path("config/msauth"))
    defer { close(foreign) }
    // Another test's child process may hold the descriptor and its lock until its exec.
    _ = try ConfigurationDraft.write(within: .seconds(300), environment: home.environment, Cancellation()) {
      try setting("timeout", to: "60")
    }
    #expect(home.read("config/msauth/config.json")?.contains("60") == true)
  }

  @Test(
    "permissions are kept, except for a file with a client secret",
    .enabled("needs a file system with access lists") { try await Home().setAccessList("u:4711:r", of: "home") },
    arguments: [
      ("{}", 0o644, nil, true), ("{}", 0o640, nil, true), ("{}", 0o600, nil, true), ("{}", 0o600, "u:4711:r", true),
      (#"{"client_secret": "pssst"}"#, 0o644, "u:4711:r", false),
      (#"{"profiles": {"work": {"client_secret": "pssst"}}}"#, 0o644, nil, false),
    ] as [(String, Int, String?, Bool)]
  )
  func permissions(text: String, mode: Int, entries: String?, areKept: Bool) async throws {
    try home.write(text, to: "config/msauth/config.json", mode: mode)
    if let entries { #expect(try await home.setAccessList(entries, of: "config/msauth/config.json")) }
    // Only root can set a group that it isn't in.
    if geteuid() == 0 { #expect(chown(path, 0, 4711) == 0) }
    let getfacl = ["getfacl", "--absolute-names", path]
    let before = try await ChildProcess.output(of: getfacl)
    try write(setting("timeout", to: "60"))
    if areKept { #expect(try await ChildProcess.output(of: getfacl) == before) }
    #expect(try areKept || home.mode("config/msauth/config.json") == 0o600)
  }

  @Test("a symbolic link's missing target is created, and the link is kept")
  func danglingLink() throws {
    for (link, target) in [("config/config.json", "home/one.json"), ("config/other.json", "config/two.json")] {
      let words = target.hasPrefix("home/") ? home.path(target) : "two.json"
      try FileManager.default.createSymbolicLink(atPath: home.path(link), withDestinationPath: words)
      let draft = try ConfigurationDraft(setting: "timeout", to: ["60"], profile: nil, path: home.path(link))
      try draft.checkWritable()
      try write(draft, keepingCopy: true)
      #expect(home.read(target)?.contains("60") == true)
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: home.path(link)) == words)
    }
  }

  @Test("an invalid value or an unknown key creates no directory")
  func nothingMade() throws {
    for (key, words) in [("store", ["cloud"]), ("store", nil)] as [(String, [String]?)] {
      _ = try? ConfigurationDraft.write(environment: home.environment, Cancellation()) { try setting(key, to: words) }
    }
    #expect(!FileManager.default.fileExists(atPath: home.path("config/msauth")))
  }

  @Test(
    "a value that the file's parser rejects is rejected by key",
    arguments: [
      (["store", "cloud"], "one of auto"), (["scpes", "a"], "did you mean \"scopes\""),
      (["colour", "b"], "see the documentation"), (["dpop", "yes"], "for example: true"),
      (["browser", "a \"b"], "quote"),
      (["appearance", #"{"color": 1}"#], "the keys are logo, accent_color"), (["store", "a", "b"], "quote it"),
      (["tenant", "a b"], "tenant"), (["authority", "http://login.example.org"], "authority"),
      (["profiles", "{}"], "can't be set as a whole"), (["profiles.work"], "use the keys of the profile"),
      (["profiles.work.store", "file"], "use store with"), (["client_id", ""], "client_id"),
      (["timeout", "86401"], "at most 1 day"), (["scopes", ""], "is empty"), (["scopes", " "], "is empty"),
      (["scopes", #"["a", 2]"#], "must be a list of strings"), (["docker_registries", "[1]"], "a list of strings"),
      (["docker_registries", "https://a.example/b"], "\"https://a.example/b\" isn't a registry's host"),
      (["graph_endpoint", "graph.example"], "did you mean https://graph.example?"),
      (["graph_endpoint", "http://evil.example"], "http to another machine"),
    ]
  )
  func rejected(arguments: [String], what: String) throws {
    try home.write(#"{"client_id": "c"}"#, to: "config/msauth/config.json")
    let error = try #require(throws: AuthenticationError.self) {
      try setting(arguments[0], to: Array(arguments.dropFirst()))
    }
    #expect(error.code == .invalidParameter && error.message.contains(arguments[0]), "\(error)")
    #expect("\(error)".contains(what), "\(error)")
  }

  @Test("the rule of a duration has examples; its hint has no other")
  func durationExamples() throws {
    let error = try #require(throws: AuthenticationError.self) { try setting("timeout", to: "soon") }
    #expect(error.message.contains("8h") && !"\(error)".contains("for example"), "\(error)")
  }

  @Test("an empty list can be set as JSON")
  func emptyList() throws {
    try write(setting("scopes", to: "[]"))
    #expect(try home.json("config/msauth/config.json") == ["scopes": []])
  }

  @Test(
    "a profile isn't written into a value that isn't an object",
    arguments: [(#"{"profiles": 5}"#, "profiles"), (#"{"profiles": {"work": 5}}"#, "profiles.work")]
  )
  func noObject(document: String, key: String) throws {
    try home.write(document, to: "config/msauth/config.json")
    let error = try #require(throws: AuthenticationError.self) {
      try ConfigurationDraft(setting: "client_id", to: ["c"], profile: "work", path: path)
    }
    #expect(error.message == "\(path):1: \"\(key)\" must be an object", "\(error)")
  }

  @Test("a client ID that can't be Microsoft's is rejected, but stays until its turn if the authority is set first")
  func microsoftClientID() throws {
    try home.write(#"{"client_id": "my-app"}"#, to: "config/msauth/config.json")
    try write(setting("tenant", to: "common"))
    let error = try #require(throws: AuthenticationError.self) { try setting("client_id", to: "other-app") }
    #expect(error.code == .invalidParameter && error.reason == "client_id_invalid", "\(error)")
    try write(setting("client_id", to: "11111111-2222-3333-4444-555555555555"))
  }

  @Test("an invalid tenant that was there before doesn't prevent another change")
  func mistakeBefore() throws {
    try home.write(#"{"tenant": "a b"}"#, to: "config/msauth/config.json")
    try write(setting("client_id", to: "my-app"))
    #expect(try home.json("config/msauth/config.json") == ["tenant": "a b", "client_id": "my-app"])
  }
}
