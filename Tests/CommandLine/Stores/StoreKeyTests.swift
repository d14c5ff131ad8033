@testable import DemoProvider
import TestSupport
import Testing

@Suite("a cache encrypted with a key from a file", .limitedConcurrency)
struct StoreKeyTests {
  private let fixture: DemoProviderFixture
  private var cache: String { fixture.home.path(Home.cacheFile) }

  init() async throws {
    fixture = try await DemoProviderFixture()
    try fixture.home.write(String(repeating: "k", count: 32), to: "key")
  }

  private func configure(_ members: String) throws {
    try fixture.home.write("{\(members)}", to: "config/msauth/config.json")
  }

  private func configureKey(_ name: String = "key") throws {
    try configure(#""store_key_file": "\#(fixture.home.path(name))""#)
  }

  private func content() throws -> Data { try Data(contentsOf: URL(fileURLWithPath: cache)) }

  @Test("no token, name or host is readable in the file; silent, forced and sign-out requests work")
  func encrypted() async throws {
    try configureKey()
    try await fixture.signIn()
    let token = try await fixture.run("token").expect(0)
    for word in ["demo-", "ada", "127.0.0.1", "AccessToken", token.stdout.trimmingCharacters(in: .newlines)] {
      #expect(try content().range(of: Data(word.utf8)) == nil, "\(word)")
    }
    let refreshed = try await fixture.run("token", "--force-refresh")
    #expect(refreshed.code == 0 && refreshed.stdout != token.stdout, "\(refreshed)")
    #expect(try await fixture.run("token").stdout == refreshed.stdout)
    try await fixture.run("logout").expect(0)
    #expect(try await fixture.run("status").stdout == "Signed out\n")
  }

  @Test("a plain cache is readable, and encrypted on the next write")
  func upgrade() async throws {
    try await fixture.signIn()
    let token = try await fixture.run("token")
    try configureKey()
    #expect(try await fixture.run("token").stdout == token.stdout)
    try await fixture.run("token", "--force-refresh").expect(0)
    #expect(try content().range(of: Data("AccessToken".utf8)) == nil)
    try await fixture.run("token").expect(0)
  }

  @Test(
    "without its key, nothing is printed, requested or lost, also at sign-in",
    arguments: ["none", "another", "missing", "short", "readable by all", "replaceable"]
  )
  func unusable(key: String) async throws {
    try configureKey()
    try await fixture.signIn()
    let before = try content()
    switch key {
    case "none": try configure("")
    case "another": try fixture.home.write(String(repeating: "l", count: 32), to: "key")
    case "missing": try configureKey("nowhere")
    case "short": try fixture.home.write("k", to: "key")
    case "replaceable":
      try fixture.home.write(String(repeating: "k", count: 32), to: "open/key")
      chmod(fixture.home.path("open"), 0o777)
      try configureKey("open/key")
    default: chmod(fixture.home.path("key"), 0o644)
    }
    await fixture.provider.forgetRecord()
    for command in [["token"], ["token", "--force-refresh"], ["login", "--no-browser"], ["status"]] {
      try await fixture.run(command)
        .expect(6, "hint: ", key == "none" ? "MSAUTH_STORE_KEY_FILE" : fixture.home.path(""), stdout: "")
    }
    #expect(await fixture.grants().isEmpty)
    #expect(try content() == before)
  }
}
