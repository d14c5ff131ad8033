@testable import DemoProvider
import MSAuthCrypto
import TestSupport
import Testing

@testable import MSAuth

private let ada = "ada@contoso.example"

@Suite("shared devices", .limitedConcurrency)
struct SharedDeviceTests {
  private let fixture: SharedDeviceFixture

  init() async throws { fixture = try await SharedDeviceFixture() }

  @Test(
    "tokens are stored only in the session directory",
    arguments: [ClientConfiguration.Store.automatic, .file(nil)]
  )
  func location(store: ClientConfiguration.Store) async throws {
    let result = try await fixture.signIn("ada", to: fixture.application { $0.store = store })
    #expect(fixture.home.files(below: "run") == ["msauth/token_cache.json"])
    for file in fixture.home.files(below: ".") where file != "run/msauth/token_cache.json" {
      #expect(fixture.home.read(file)?.contains(result.accessToken) != true, "in \(file)")
    }
    #expect(try fixture.home.mode("run/msauth") == 0o700)
  }

  @Test("a cache file elsewhere is an invalid setting")
  func otherFile() async throws {
    let error = await #expect(throws: AuthenticationError.self) {
      try await fixture.application { $0.store = .file(fixture.home.path("state/tokens.json")) }
    }
    #expect(error?.code == .invalidConfiguration && error?.reason == "shared_device_store")
  }

  @Test(
    "a session without a private directory is rejected",
    arguments: ["unset", "relative", "absent", "open", "on disk"]
  )
  func noSession(kind: String) async throws {
    // Files on a disk outlive the session (Filesystem Hierarchy Standard 5.15: /var/tmp is preserved).
    let onDisk = try Home(in: "/var/tmp")
    let run = fixture.home.path("run")
    if kind == "open" { #expect(chmod(run, 0o755) == 0) }
    let directories = ["relative": "run", "on disk": onDisk.path("run"), "absent": run + "/nowhere", "open": run]
    let error = await #expect(throws: AuthenticationError.self) {
      try await fixture.application { $0.environment["XDG_RUNTIME_DIR"] = directories[kind] }
    }
    #expect(error?.code == .storeUnavailable && error?.reason == "shared_device_no_session", "\(error as Any)")
    #expect(error?.hint != nil)
  }

  @Test("all applications share one account: the second one gets a token without a password")
  func oneAccount() async throws {
    let first = try await fixture.application()
    let second = try await fixture.application(fixture.provider.otherClientID)
    _ = try await fixture.signIn("ada", to: first)
    let account = try #require(try await second.currentAccount().account)
    #expect(account.username == ada)
    let error = await #expect(throws: AuthenticationError.self) {
      try await second.token(for: account, scopes: ["User.Read"], interactive: false)
    }
    #expect(error?.code == .interactionRequired)
    await fixture.provider.forgetRecord()
    _ = try await fixture.signIn("ada", to: second)
    #expect(await fixture.prompts == [nil])
    #expect(await fixture.provider.record.contains { $0["login_hint"] == ada })
    #expect(try await second.accounts().map(\.username) == [ada])
  }

  @Test("another user is rejected while an account is signed in: by name before a page opens, otherwise after it")
  func anotherUser() async throws {
    let application = try await fixture.application()
    _ = try await fixture.signIn("ada", to: application)
    await fixture.provider.forgetRecord()
    let named = await #expect(throws: AuthenticationError.self) {
      _ = try await fixture.signIn("alan", to: application) { $0.interaction?.loginHint = "alan@contoso.example" }
    }
    #expect(named?.code == .ambiguousAccount && named?.reason == "shared_device_taken")
    #expect(await fixture.provider.record.isEmpty)

    let before = fixture.home.read("run/msauth/token_cache.json")
    let unnamed = await #expect(throws: AuthenticationError.self) {
      _ = try await fixture.signIn("alan", to: application) { $0.interaction?.prompt = .selectAccount }
    }
    #expect(unnamed?.code == .ambiguousAccount && unnamed?.reason == "shared_device_taken")
    #expect(fixture.home.read("run/msauth/token_cache.json") == before)
    #expect(try await application.accounts().map(\.username) == [ada])
  }

  @Test("another user is rejected at any other provider too, and sign-out removes every provider's data")
  func anotherProvider() async throws {
    let application = try await fixture.application()
    let account = try await fixture.signIn("ada", to: application).account
    let elsewhere = try await DemoProvider.start(DemoOptions(algorithm: .es256))
    for authority in [
      try Authority(elsewhere.entraAuthority(), kind: .aad), try Authority(fixture.provider.oidcIssuer, kind: .oidc),
    ] {
      let error = await #expect(throws: AuthenticationError.self) {
        _ = try await fixture.signIn("alan", to: application) {
          $0.authority = authority
          $0.interaction?.prompt = .selectAccount
        }
      }
      #expect(error?.reason == "shared_device_taken")
    }

    // The same account at another of the provider's hosts, which is accepted.
    _ = try await fixture.signIn("ada", to: application) {
      $0.authority = try? Authority(elsewhere.entraAuthority(), kind: .aad)
    }
    #expect(try await fixture.signOut(account, of: application).removedTokens)
    let left = fixture.home.read("run/msauth/token_cache.json") ?? ""
    #expect(!left.contains("demo-at-") && !left.contains("demo-rt-"))
  }

  @Test("an application that doesn't support shared devices signs no user in on one")
  func unsupported() async throws {
    let application = try await fixture.application { $0.supportsSharedDevice = false }
    let error = await #expect(throws: AuthenticationError.self) { try await fixture.signIn("ada", to: application) }
    #expect(error?.code == .invalidConfiguration && error?.reason == "shared_device_unsupported")
    #expect(await fixture.provider.record.isEmpty && fixture.home.files(below: "run").isEmpty)
  }

  @Test("sign-out covers the browser and every application, and the next user is prompted for credentials")
  func signOut() async throws {
    let first = try await fixture.application()
    let second = try await fixture.application(fixture.provider.otherClientID)
    let account = try await fixture.signIn("ada", to: first).account
    _ = try await fixture.signIn("ada", to: second)
    await fixture.provider.forgetRecord()

    let report = try await fixture.signOut(account, of: first)
    #expect(report.removedTokens && report.browser == .confirmed, "\(report)")
    let current = try await second.currentAccount()
    #expect(current.account == nil && current.previousAccount?.username == ada)
    #expect(try await second.currentAccount().previousAccount == nil, "once")
    #expect(try await second.accounts().isEmpty)
    let left = fixture.home.read("run/msauth/token_cache.json") ?? ""
    #expect(!left.contains("demo-at-") && !left.contains("demo-rt-") && !left.contains(ada), "\(left)")

    await fixture.provider.forgetRecord()
    #expect(try await fixture.signIn("alan", to: second).account.username == "alan@contoso.example")
    #expect(await fixture.prompts == ["login"])
  }

  @Test("a device file that is another user's, that others can write, or with invalid content, is rejected")
  func badFile() async throws {
    let foreign = await #expect(throws: AuthenticationError.self) {
      try await fixture.application { $0.deviceAdministrator = geteuid() + 1 }
    }
    #expect(foreign?.reason == "device_configuration_invalid")
    for (text, mode, words) in [
      (#"{"device_mode": "shared"}"#, 0o666, " can be written"),
      (#"{"device_mode": "shared"}"#, 0o664, " can be written"),
      ("{\n\"device_mode\": \"both\"}", 0o644, #":2: "device_mode" must be "private""#),
      ("{}", 0o644, #": "device_mode" must be "private""#), ("[]", 0o644, " isn't a JSON object"),
      ("{\nshared", 0o644, ":2: invalid JSON: "), ("", 0o644, ":1: invalid JSON: "),
      ("{\"device_mode\": \"shared\",\n\"more\": 1}", 0o644, #":2: unknown key "more""#),
    ] {
      let file = try fixture.home.write(text, to: "device.json", mode: mode)
      let error = await #expect(throws: AuthenticationError.self) { try await fixture.application() }
      #expect(error?.code == .invalidConfiguration && error?.message.contains(file + words) == true, "\(text)")
    }
  }

  @Test("a private device, explicit or by default, uses the user's own directories", arguments: [true, false])
  func privateDevice(isExplicit: Bool) async throws {
    let fixture = try await SharedDeviceFixture(#"{"device_mode": "private"}"#)
    if !isExplicit { try FileManager.default.removeItem(atPath: fixture.home.path("device.json")) }
    let application = try await fixture.application()
    #expect(try application.deviceInformation().mode == .privateDevice)
    _ = try await fixture.signIn("ada", to: fixture.application { $0.store = .file(nil) })
    #expect(fixture.home.files(below: "run").isEmpty)
    #expect(fixture.home.read(Home.cacheFile) != nil)
  }
}
