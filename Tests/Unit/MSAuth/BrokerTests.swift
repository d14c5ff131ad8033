import MSAuthCore
import MSAuthOAuth
import TestSupport
import Testing

@testable import MSAuth

@Suite("the library and the device's identity broker", .limitedConcurrency)
struct BrokerTests {
  private let home: Home
  private let bus: SessionBus

  init() async throws {
    try ChildProcess.require("dbus-daemon", "python3")
    // A shared device's session directory is in memory.
    home = try Home(in: Home.memory)
    bus = try await SessionBus(for: home)
  }

  private func application(
    _ use: ClientConfiguration.BrokerUse = .automatic,
    clientID: String = "00000000-1111-2222-3333-444444444444",
    accountMode: ClientConfiguration.AccountMode = .multiple,
    onSharedDevice isShared: Bool = false
  ) async throws -> PublicClientApplication {
    // Nothing listens there.
    let offline = ["https_proxy": "http://127.0.0.1:9"]
    var configuration = ClientConfiguration(
      clientID: clientID,
      environment: home.environment.merging(bus.environment) { $1 }.merging(offline) { $1 }
    )
    (configuration.store, configuration.brokerUse) = (isShared ? .automatic : .file(nil), use)
    configuration.accountMode = accountMode
    if isShared {
      configuration.deviceConfigurationFile = try home.write(#"{"device_mode": "shared"}"#, to: "device.json")
      configuration.deviceAdministrator = geteuid()
    }
    return try await PublicClientApplication(configuration: configuration)
  }

  private func calls(_ broker: BackgroundProgram, _ method: String) -> Int {
    broker.stdout.ranges(of: "\"method\": \"\(method)\"").count
  }

  @Test("silent calls use the broker's account, also 50 at once, and then the cache")
  func silent() async throws {
    let broker = try await bus.broker()
    let application = try await application()
    let account = try #require(try await application.accounts().first)
    #expect(account.isFromBroker && account.username == "ada@contoso.example")
    #expect(account.tenantProfiles.map(\.isHomeTenant) == [true])

    let tokens = try await withThrowingTaskGroup(of: TokenResult.self) { group in
      for _ in 0..<50 {
        group.addTask { try await application.token(for: account, scopes: ["User.Read"], interactive: false) }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(tokens.allSatisfy { $0.account.isFromBroker && $0.tokenType == "Bearer" && $0.idToken != nil })
    let made = calls(broker, "acquireTokenSilently")
    let cached = try await application.token(scopes: ["User.Read"], interactive: false)
    #expect(cached.isFromCache && calls(broker, "acquireTokenSilently") == made)

    try await application.setCurrentAccount(account)
    #expect(try await application.currentAccount().account?.id == account.id)
    #expect(try await application.sessionStatus(of: account).needsSignIn == nil)
    #expect(await application.brokerVersion() == "2.0.1")
  }

  @Test("an account is made current before it has a token, and a signed-out one gets none")
  func currentAndSignedOut() async throws {
    let broker = try await bus.broker(#"{"users":["ada","bob"]}"#)
    let application = try await application()
    let accounts = try await application.accounts()
    try await application.setCurrentAccount(accounts[1])
    let token = try await application.token(scopes: [], interactive: false)
    #expect(token.account.id == accounts[1].id)

    #expect(try await application.signOut(accounts[1]).removedTokens)
    let error = await #expect(throws: AuthenticationError.self) {
      try await application.token(for: accounts[1], scopes: [], interactive: false)
    }
    #expect(error?.reason == .signedOut)
    #expect(try await application.accounts().map(\.id) == [accounts[0].id])

    var parameters = SignOutParameters()
    parameters.fromDevice = true
    #expect(try await application.signOut(accounts[0], with: parameters).device == .removed)
    #expect(calls(broker, "removeAccount") == 1)
  }

  @Test("in single account mode, only the account that signed in is known, and no other is ever the current one")
  func singleAccount() async throws {
    let broker = try await bus.broker(#"{"users":["ada","bob"]}"#)
    let other = try await application(clientID: "99999999-1111-2222-3333-444444444444")
    let listed = try await other.accounts()
    for account in listed { _ = try await other.token(for: account, scopes: [], interactive: false) }
    #expect(listed.count == 2 && calls(broker, "acquireTokenSilently") == 2)
    // Both are in the store now.
    let several = try await application()
    #expect(try await several.accounts().map(\.id) == listed.map(\.id))
    #expect(try await several.storedAccounts().isEmpty)
    #expect(try await several.currentAccount().account == nil)

    let single = try await application(.always, accountMode: .single)
    #expect(try await single.accounts().isEmpty)
    for account in listed {
      let error = await #expect(throws: AuthenticationError.self) { try await single.setCurrentAccount(account) }
      #expect(error?.code == .accountRequired)
      await #expect(throws: AuthenticationError.self) {
        try await single.token(for: account, scopes: [], interactive: false)
      }
    }
    #expect(calls(broker, "acquireTokenSilently") == 2)
    let token = try await single.signIn(with: TokenParameters(scopes: ["User.Read"]))
    #expect(token.account.id == listed[0].id)
    // The broker keeps the refresh token.
    #expect(try await single.discardAccessToken(token.accessToken))
    #expect(try await single.accounts().map(\.id) == [listed[0].id])
    #expect(try await single.currentAccount().account?.id == listed[0].id)
    _ = try await single.token(scopes: ["User.Read"], interactive: false)

    let own = single.configuration
    _ = try await own.signOutOfEveryApplication(known: [], with: .init(), report: { _ in })
    for application in [other, several, single] { #expect(try await application.accounts().isEmpty) }
  }

  @Test("a broker that isn't to be used gets no call", arguments: [true, false])
  func unused(isPersonal: Bool) async throws {
    let broker = try await bus.broker()
    let application = try await application(isPersonal ? .always : .never)
    var parameters = TokenParameters(scopes: ["User.Read"])
    parameters.interaction = nil
    if isPersonal { parameters.authority = try Authority("https://login.microsoftonline.com/consumers") }
    let account = Account(identifier: "u.t", username: "ada", environment: "login.microsoftonline.com")
    parameters.account = account
    await #expect(throws: AuthenticationError.self) { try await application.token(with: parameters) }
    #expect(calls(broker, "getAccounts") == 0)
  }

  @Test("on a shared device, the broker's account isn't used before a sign-in", arguments: [true, false])
  func sharedDevice(isRequired: Bool) async throws {
    let broker = try await bus.broker()
    let application = try await application(isRequired ? .always : .automatic, onSharedDevice: true)
    #expect(application.isOnSharedDevice)
    let error = await #expect(throws: AuthenticationError.self) {
      try await application.token(scopes: ["User.Read"], interactive: false)
    }
    #expect(error?.code == .accountRequired && calls(broker, "getAccounts") == 0)
  }

  @Test("the ID token's signature is checked if the provider's keys are kept", arguments: ["broker", "other"])
  func signature(keyID: String) async throws {
    let broker = try await bus.broker()
    let application = try await application()
    // Another key, under the name that the token has.
    let modulus = Base64URL.encode([UInt8](repeating: 0xA5, count: 256))
    let keys = #"{"keys":[{"kty":"RSA","kid":"\#(keyID)","e":"AQAB","n":"\#(modulus)"}]}"#
    let url = "https://login.microsoftonline.com/common/discovery/v2.0/keys"
    await DiskDocumentCache(directory: home.path("cache/msauth")).keep(Array(keys.utf8), as: url, fetched: 1)
    do {
      _ = try await application.token(scopes: ["User.Read"], interactive: false)
      #expect(keyID == "other")
    } catch {
      #expect(keyID == "broker" && error.reason == "id_token_signature_invalid", "\(error)")
    }
    _ = broker
  }
}
