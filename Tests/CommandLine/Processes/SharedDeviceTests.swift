import Core
import DemoProvider
import Foundation
import Glibc
import MSAuth
import TestSupport
import Testing

@Suite("a shared device")
struct SharedDeviceTests {
  static let ada = "ada@contoso.example"

  @Test("tokens are in the session's folder and nowhere else", arguments: [Configuration.Store.automatic, .file(nil)])
  func place(store: Configuration.Store) async throws {
    let desk = try await SharedDesk()
    var configuration = try desk.configuration()
    configuration.store = store
    let result = try await desk.signIn("ada", to: PublicClientApplication(configuration: configuration))
    #expect(desk.home.files(below: "run") == ["msauth/token_cache.json"])
    for file in desk.home.files(below: ".") where file != "run/msauth/token_cache.json" {
      #expect(desk.home.read(file)?.contains(result.accessToken) != true, "in \(file)")
    }
    let attributes = try FileManager.default.attributesOfItem(atPath: desk.home.path("run/msauth"))
    #expect(attributes[.posixPermissions] as? Int == 0o700)
  }

  @Test("a file elsewhere is refused as a setting")
  func otherFile() async throws {
    let desk = try await SharedDesk()
    var configuration = try desk.configuration()
    configuration.store = .file(desk.home.path("state/tokens.json"))
    let error = await #expect(throws: AuthenticationError.self) {
      try await PublicClientApplication(configuration: configuration)
    }
    #expect(error?.code == .invalidConfiguration && error?.reason == "shared_device_store")
  }

  @Test("a session without a folder of its own is refused", arguments: ["unset", "relative", "absent", "open"])
  func noSession(kind: String) async throws {
    let desk = try await SharedDesk()
    var configuration = try desk.configuration()
    switch kind {
    case "unset": configuration.environment["XDG_RUNTIME_DIR"] = nil
    case "relative": configuration.environment["XDG_RUNTIME_DIR"] = "run"
    case "absent": configuration.environment["XDG_RUNTIME_DIR"] = desk.home.path("nowhere")
    default: #expect(chmod(desk.home.path("run"), 0o755) == 0)
    }
    let error = await #expect(throws: AuthenticationError.self) {
      try await PublicClientApplication(configuration: configuration)
    }
    #expect(
      error?.code == .storeUnavailable && error?.reason == "shared_device_no_session",
      "\(String(describing: error))"
    )
    #expect(error?.remedy != nil)
  }

  @Test("one account for all applications: another one knows it, and gets a token without a password")
  func oneAccount() async throws {
    let desk = try await SharedDesk()
    let (first, second) = (try await desk.application(), try await desk.application(desk.provider.otherClientID))
    _ = try await desk.signIn("ada", to: first)
    let account = try #require(try await second.currentAccount().account)
    #expect(account.username == Self.ada)
    let error = await #expect(throws: AuthenticationError.self) {
      try await second.acquireTokenSilent(with: SilentTokenParameters(scopes: ["User.Read"], account: account))
    }
    #expect(error?.code == .interactionRequired)
    await desk.provider.forgetRecord()
    _ = try await desk.signIn("ada", to: second)
    #expect(await desk.prompts() == [nil])
    #expect(await desk.provider.record.contains { $0["login_hint"] == Self.ada })
    #expect(try await second.accounts().map(\.username) == [Self.ada])
  }

  @Test("another person is refused while one is signed in: by name before a page opens, else after it")
  func anotherPerson() async throws {
    let desk = try await SharedDesk()
    let application = try await desk.application()
    _ = try await desk.signIn("ada", to: application)
    await desk.provider.forgetRecord()
    let named = await #expect(throws: AuthenticationError.self) {
      _ = try await desk.signIn("alan", to: application) { $0.loginHint = "alan@contoso.example" }
    }
    #expect(named?.code == .ambiguousAccount && named?.reason == "shared_device_taken")
    #expect(await desk.provider.record.isEmpty)

    let before = desk.home.read("run/msauth/token_cache.json")
    let came = await #expect(throws: AuthenticationError.self) {
      _ = try await desk.signIn("alan", to: application) { $0.prompt = .selectAccount }
    }
    #expect(came?.code == .ambiguousAccount && came?.reason == "shared_device_taken")
    #expect(desk.home.read("run/msauth/token_cache.json") == before)
    #expect(try await application.accounts().map(\.username) == [Self.ada])
  }

  @Test("another person is refused at any other provider, too, and sign-out leaves nothing of whatever provider")
  func anotherProvider() async throws {
    let desk = try await SharedDesk()
    let application = try await desk.application()
    let account = try await desk.signIn("ada", to: application).account
    let elsewhere = try await DemoProvider.start()
    for authority in [
      try Authority(elsewhere.entraAuthority(), kind: .aad), try Authority(desk.provider.oidcIssuer, kind: .oidc),
    ] {
      let error = await #expect(throws: AuthenticationError.self) {
        _ = try await desk.signIn("alan", to: application) {
          $0.authority = authority
          $0.prompt = .selectAccount
        }
      }
      #expect(error?.reason == "shared_device_taken")
    }

    // The same account by another of the provider's hosts, which the rule lets in.
    _ = try await desk.signIn("ada", to: application) {
      $0.authority = try? Authority(elsewhere.entraAuthority(), kind: .aad)
    }
    #expect(try await desk.signOut(account, of: application).removedTokens)
    let left = desk.home.read("run/msauth/token_cache.json") ?? ""
    #expect(!left.contains("demo-at-") && !left.contains("demo-rt-"))
  }

  @Test("an application whose configuration says that it does not support a shared device signs nobody in on one")
  func unsupported() async throws {
    let desk = try await SharedDesk()
    var configuration = try desk.configuration()
    configuration.supportsSharedDevice = false
    let application = try await PublicClientApplication(configuration: configuration)
    let error = await #expect(throws: AuthenticationError.self) { try await desk.signIn("ada", to: application) }
    #expect(error?.code == .invalidConfiguration && error?.reason == "shared_device_unsupported")
    #expect(await desk.provider.record.isEmpty && desk.home.files(below: "run").isEmpty)
  }

  @Test("sign-out reaches the browser and every application, and the next person is asked for credentials")
  func signOut() async throws {
    let desk = try await SharedDesk()
    let (first, second) = (try await desk.application(), try await desk.application(desk.provider.otherClientID))
    let account = try await desk.signIn("ada", to: first).account
    _ = try await desk.signIn("ada", to: second)
    await desk.provider.forgetRecord()

    let report = try await desk.signOut(account, of: first)
    #expect(report.removedTokens && report.browser == .confirmed, "\(report)")
    let current = try await second.currentAccount()
    #expect(current.account == nil && current.previousAccount?.username == Self.ada)
    #expect(try await second.accounts().isEmpty)
    let left = desk.home.read("run/msauth/token_cache.json") ?? ""
    #expect(!left.contains("demo-at-") && !left.contains("demo-rt-"))

    await desk.provider.forgetRecord()
    let next = try await desk.signIn("alan", to: second)
    #expect(next.account.username == "alan@contoso.example")
    #expect(await desk.prompts() == ["login"])
  }

  @Test(
    "a file that is not the administrator's, or says something else, stops everything",
    arguments: [
      (#"{"device_mode": "shared"}"#, 0o666), (#"{"device_mode": "shared"}"#, 0o664),
      (#"{"device_mode": "both"}"#, 0o644),
      (#"{}"#, 0o644), ("shared", 0o644), (#"{"device_mode": "shared", "more": 1}"#, 0o644), ("", 0o644),
    ]
  )
  func badFile(text: String, mode: Int) async throws {
    let desk = try await SharedDesk()
    try desk.home.write(text, to: "device.json", mode: mode)
    let error = await #expect(throws: AuthenticationError.self) { try await desk.application() }
    #expect(error?.code == .invalidConfiguration && error?.message.contains(desk.home.path("device.json")) == true)
  }

  @Test("a file of another user than the administrator is refused")
  func otherOwner() async throws {
    let desk = try await SharedDesk()
    var configuration = try desk.configuration()
    configuration.deviceAdministrator = geteuid() + 1
    let error = await #expect(throws: AuthenticationError.self) {
      try await PublicClientApplication(configuration: configuration)
    }
    #expect(error?.reason == "device_configuration_invalid")
  }

  @Test("a private device, said or unsaid, keeps to the person's own folders", arguments: [true, false])
  func privateDevice(said: Bool) async throws {
    let desk = try await SharedDesk(#"{"device_mode": "private"}"#)
    if !said { try FileManager.default.removeItem(atPath: desk.home.path("device.json")) }
    let application = try await desk.application()
    #expect(try application.deviceInformation().mode == .privateDevice)
    var configuration = try desk.configuration()
    configuration.store = .file(nil)
    _ = try await desk.signIn("ada", to: PublicClientApplication(configuration: configuration))
    #expect(desk.home.files(below: "run").isEmpty)
    #expect(desk.home.read("state/msauth/token_cache.json") != nil)
  }

  @Test("the command line keeps to it too, below a private /etc")
  func commandLine() async throws {
    let desk = try await SharedCommandDesk()
    #expect(try await desk.run("device").stdout == "Device is in the shared mode.\n")
    let login = try desk.start(["login"] + desk.identity)
    let walker = ScriptedBrowser()
    _ = try await walker.walk(from: try await login.printedURL(), as: "ada")
    #expect(try await login.end() == .exited(0), "\(login.stderr)")
    #expect(desk.home.files(below: "run") == ["msauth/token_cache.json"])
    #expect(desk.home.files(below: "state").isEmpty)

    let second = try await desk.run(["login", "--login-hint", "alan@contoso.example"] + desk.identity)
    #expect(second.code == 2 && second.stderr.contains("signed in") && second.stderr.contains("logout"), "\(second)")

    let logout = try desk.start(["logout", "--no-browser"] + desk.identity)
    _ = try await walker.open(try await logout.printedURL())
    #expect(try await logout.end() == .exited(0), "\(logout.stderr)")
    #expect(logout.stderr.contains("confirmed"), "\(logout.stderr)")
    #expect(try await desk.run(["status"] + desk.identity).stdout == "Signed out\n")
  }
}
