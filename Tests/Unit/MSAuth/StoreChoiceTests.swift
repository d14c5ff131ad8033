@testable import MSAuthCache
import MSAuthDesktop
import TestSupport
import Testing

@testable import MSAuth

/// Opens a store on a private device, as root if a user called sudo.
private func open(
  _ store: ClientConfiguration.Store,
  in home: Home,
  _ variables: [String: String] = [:],
  sudoUser: String? = nil,
  _ change: (inout ClientConfiguration) -> Void = { _ in }
) async throws -> StoreChoice {
  let environment = home.environment.merging(variables) { $1 }
  var configuration = ClientConfiguration(clientID: "c", environment: environment)
  configuration.store = store
  change(&configuration)
  let session =
    sudoUser.map { DesktopSession(environment: environment.merging(["SUDO_USER": $0]) { $1 }, effectiveUser: 0) }
    ?? DesktopSession(environment: environment)
  let folders = try XDGDirectories(environment: environment)
  return try await configuration.openStore(in: folders, session: session, on: DeviceInformation(mode: .privateDevice))
}

@Suite("the store before its first write")
struct StoreChoiceTests {
  @Test("opening neither uses a keyring nor chooses a store")
  func lazy() async throws {
    let home = try Home()
    let choice = try await open(.automatic, in: home)
    #expect(choice.name == "the keyring" && choice.notice == nil)
    #expect(choice.cacheFile?.hasSuffix("/token_cache.keyring") == true)
    #expect(home.files(below: ".").isEmpty)
  }
}

@Suite("the store of a group")
struct GroupStoreTests {
  @Test(
    "has its own directory, and the group's name can't be a path",
    arguments: ["../x", "a/b", ".hidden", "", "a b", "ü"]
  )
  func groups(name: String) throws {
    let environment = ["HOME": "/home/ada"]
    #expect(
      try ClientConfiguration.Store.group("com.example.app", environment: environment)
        == .file("/home/ada/.local/state/msauth/groups/com.example.app/token_cache.json")
    )
    let error = #expect(throws: AuthenticationError.self) {
      try ClientConfiguration.Store.group(name, environment: environment)
    }
    #expect(error?.reason == "group_invalid")
  }
}

@Suite("the keyring item")
struct KeyringItemTests {
  @Test("an application can use the item shared by other tools, with its own lock and signal file")
  func shared() async throws {
    let home = try Home()
    var item = KeyringItem.microsoftTools(home: home.path("home"))
    item.collection = "session"
    item.signalFile = home.path("state/shared.cache")
    let opened = try await open(.secretService, in: home) { $0.keyringItem = item }
    #expect(opened.cacheFile == home.path("state/shared.cache"))
    let store = try #require(try await opened.readable() as? SecretServiceStore)
    #expect(store.item == item && item.encoding == .base64 && !item.matchesSchema)
    #expect(store.lockPath == home.path("state/shared.cache.lockfile"), "the other tools' path")
    let own = try await open(.secretService, in: home)
    #expect(own.cacheFile != opened.cacheFile)
    // The item is on the bus, whatever the state home, and so is its lock.
    #expect((try await own.readable() as? SecretServiceStore)?.lockPath == home.path("run/msauth/keyring.lockfile"))
  }

  @Test("MSAL Python's default schema is the hash of the signal file's name")
  func python() {
    // hashlib.sha256(b"token_cache.keyring").hexdigest()
    let schema = "7cec0d89922546fd024dd1ae7096fa72aa50a4a0a0fd9bc8a12142bd5efa893a"
    let item = KeyringItem.msalPython(signalFile: "token_cache.keyring")
    #expect(item.schema == schema && item.attributes.isEmpty && item.signalFile == "token_cache.keyring")
  }
}

@Suite("root through sudo")
struct SudoTests {
  @Test("the caller's home directory isn't used, but an explicit file is")
  func home() async throws {
    let home = try Home()
    // Without root, the test's own directory counts as ann's.
    if geteuid() == 0 { #expect(chown(home.path("state"), 12_002, 12_002) == 0) }
    for store in [ClientConfiguration.Store.automatic, .secretService, .file(nil)] {
      let error = await #expect(throws: AuthenticationError.self, "\(store)") {
        _ = try await open(store, in: home, sudoUser: "ann")
      }
      #expect(error?.reason == "sudo" && error?.hint == .withoutSudo(as: "ann"), "\(store)")
    }
    _ = try await open(.file(home.path("own.json")), in: home, sudoUser: "ann")
  }

  @Test("root's own home directory is used")
  func own() async throws {
    let home = try Home()
    _ = try await open(.file(nil), in: home, ["XDG_STATE_HOME": "/nonexistent/state"], sudoUser: "ann")
  }
}
