@testable import DemoProvider
import Dispatch
import MSAuth
import TestSupport
import Testing

@testable import MSAL

@Suite("the public client application with MSAL's names", .ownSession, .timeLimit(.minutes(5)))
struct ApplicationTests {
  private let fixture: MSALFixture
  private let application: MSALPublicClientApplication

  init() async throws {
    fixture = try await MSALFixture()
    application = try fixture.application()
  }

  @Test("signs in, finds the account by each lookup, and gets its token silently")
  func signIn() async throws {
    let result = try await application.acquireToken(with: fixture.interactive())
    #expect(!result.accessToken.isEmpty && result.authorizationHeader == "Bearer " + result.accessToken)
    #expect(result.account.username == "ada@contoso.example")
    #expect(result.account.tenantProfiles == nil, "a result's account has no tenant profiles, as in MSAL")
    #expect(result.account.accountClaims?["preferred_username"] as? String == "ada@contoso.example")
    #expect(result.tenantProfile.isHomeTenantProfile)
    #expect((result.expiresOn ?? .distantPast) > Date())
    #expect(!"\(result)".contains(result.accessToken))

    let identifier = try #require(result.account.identifier)
    let other = try fixture.application()
    let listed = try #require(try other.allAccounts().first)
    #expect(listed == result.account)
    #expect(listed.accountClaims?["preferred_username"] as? String == "ada@contoso.example")
    #expect(listed.tenantProfiles?.first?.claims?["preferred_username"] as? String == "ada@contoso.example")
    #expect(listed.homeAccountId?.identifier == identifier)
    #expect(listed.homeAccountId.map { "\($0.objectId ?? "").\($0.tenantId ?? "")" } == identifier)
    #expect(try other.account(forIdentifier: identifier.uppercased()) == listed)
    #expect(try other.account(forUsername: "ADA@contoso.example") == listed)
    let tenant = try #require(listed.tenantProfiles?.first?.identifier)
    #expect(try other.accounts(for: MSALAccountEnumerationParameters(tenantProfileIdentifier: tenant)) == [listed])
    #expect(try other.accounts(for: MSALAccountEnumerationParameters(identifier: "nobody")) == [])
    #expect(try await other.accountsFromDevice(for: MSALAccountEnumerationParameters()) == [listed])

    let parameters = MSALSilentTokenParameters(scopes: ["user.read"], account: listed)
    #expect(try await other.acquireTokenSilent(with: parameters).accessToken == result.accessToken)
    parameters.forceRefresh = true
    #expect(try await other.acquireTokenSilent(with: parameters).accessToken != result.accessToken)
  }

  @Test("the accounts, tokens and version of the device's identity broker")
  func broker() async throws {
    try ChildProcess.require("dbus-daemon", "python3")
    let home = try Home()
    let bus = try await SessionBus(for: home)
    let application = try fixture.application {
      $0.authority = .microsoftCommon
      $0.environment = bus.environment
    }
    #expect(!application.isCompatibleAADBrokerAvailable)
    let broker = try await bus.broker()
    #expect(application.isCompatibleAADBrokerAvailable)
    let accounts = try await application.accountsFromDevice(for: MSALAccountEnumerationParameters())
    let account = try #require(accounts.first)
    #expect(account.username == "ada@contoso.example")
    let parameters = MSALSilentTokenParameters(scopes: ["User.Read"], account: account)
    let result = try await application.acquireTokenSilent(with: parameters)
    #expect(result.account == account && result.tenantProfile.isHomeTenantProfile)
    let device = try await application.deviceInformation(with: nil)
    #expect(device.extraDeviceInformation as? [String: String] == ["brokerVersion": "2.0.1"])
    _ = broker
  }

  @Test("an unknown account throws MSAL's accountRequired")
  func unknownAccount() async throws {
    for find in [application.account(forIdentifier:), application.account(forUsername:)] {
      let error = #expect(throws: NSError.self) { try find("nobody") }
      #expect(error?.internalCode == .accountRequired)
    }
  }

  @Test("the previous account is one that another application signed out, once")
  func previousAccount() async throws {
    let account = try await application.acquireToken(with: fixture.interactive()).account
    var (current, previous) = try await application.currentAccount(with: nil)
    #expect(current == account && previous == nil)

    // Another application with the same store removes the account.
    let wipe = fixture.signOut()
    wipe.wipeAccount = true
    let other = try fixture.application { $0.clientID = "66666666-7777-8888-9999-000000000000" }
    try await other.signout(with: account, signoutParameters: wipe)
    (current, previous) = try await application.currentAccount(with: nil)
    #expect(current == nil && previous == account)
    #expect(previous?.username == "ada@contoso.example")
    (current, previous) = try await application.currentAccount(with: nil)
    #expect(current == nil && previous == nil)
  }

  @Test("a removed account makes silent calls require interaction")
  func removed() async throws {
    let account = try await application.acquireToken(with: fixture.interactive()).account
    try await blocking { try application.remove(account) }
    #expect(try application.allAccounts() == [])
    let error = await #expect(throws: NSError.self) {
      try await application.acquireTokenSilent(with: MSALSilentTokenParameters(scopes: ["user.read"], account: account))
    }
    #expect(error?.domain == MSALErrorDomain && error?.code == MSALError.interactionRequired.rawValue)
    #expect(error?.userInfo[MSALHomeAccountIdKey] as? String == account.identifier)
  }

  @Test("a silent request without an account is an error, and doesn't take the current account's token")
  func silentWithoutAccount() async throws {
    let account = try await application.acquireToken(with: fixture.interactive()).account
    let parameters = MSALSilentTokenParameters(scopes: ["user.read"], account: account)
    parameters.account = nil
    let error = await #expect(throws: NSError.self) { try await application.acquireTokenSilent(with: parameters) }
    #expect(error?.domain == MSALErrorDomain && error?.internalCode == .accountRequired)
    #expect(error?.code == MSALError.internal.rawValue)
  }

  @Test(
    "the initializer rejects a redirect URI that can't reach this machine",
    arguments: ["msauth.com.contoso.app://auth", "https://localhost", "http://contoso.example/"]
  )
  func redirectURI(_ uri: String) throws {
    let configuration = MSALPublicClientApplicationConfig(clientId: "11111111-2222", redirectUri: uri, authority: nil)
    let error = #expect(throws: NSError.self) { try MSALPublicClientApplication(configuration: configuration) }
    #expect(error?.internalCode == .invalidRedirectURI)
    #expect(error?.localizedRecoverySuggestion?.contains("http://localhost") == true)
  }

  @Test(
    "the initializer rejects a tutorial's placeholder as the client ID",
    arguments: ["Your_Application_Id_Here", "Enter_the_Application_Id_Here", "<client-id>"]
  )
  func placeholder(_ id: String) {
    let error = #expect(throws: NSError.self) { try MSALPublicClientApplication(clientId: id) }
    #expect(error?.domain == MSALErrorDomain && error?.localizedDescription.contains("placeholder") == true)
  }

  @Test("a claim keeps its number or Boolean type, and must be a JSON value")
  func claimValues() throws {
    let request = MSALIndividualClaimRequest(name: "a")
    let info = MSALIndividualClaimRequestAdditionalInfo()
    info.values = [NSNumber(value: 1), NSNumber(value: true), NSNumber(value: 0), 1, true, 1.5, "1", NSNull()]
    request.additionalInfo = info
    let claims = MSALClaimsRequest()
    try claims.requestClaim(request, for: .idToken)
    #expect(claims.jsonString().contains(#"[1,true,0,1,true,1.5,"1",null]"#), "\(claims.jsonString())")
    for invalid in [Double.nan, Double.infinity, Date.now] as [Any] {
      info.value = invalid
      #expect(throws: NSError.self, "\(invalid)") { try claims.requestClaim(request, for: .idToken) }
    }
  }

  @Test("a request for a bound token is rejected")
  func proofOfPossession() async throws {
    let parameters = fixture.interactive()
    parameters.authenticationScheme = MSALAuthenticationSchemePop(
      httpMethod: .GET,
      requestUrl: try #require(URL(string: "https://graph.microsoft.com/v1.0/me")),
      nonce: nil,
      additionalParameters: nil
    )
    let error = await #expect(throws: NSError.self) { try await application.acquireToken(with: parameters) }
    #expect(error?.internalCode == .invalidParameter)
    #expect(fixture.browser.addresses == [])
  }

  @Test("external accounts are listed, and their provider receives sign-ins and sign-outs")
  func externalAccounts() async throws {
    let own = OwnAccounts()
    let application = try fixture.application(configure: { $0.cacheConfig.addExternalAccountProvider(own) })
    #expect(try application.allAccounts().map(\.username) == ["old@contoso.example"])
    let account = try await application.acquireToken(with: fixture.interactive()).account
    #expect(try application.allAccounts().map(\.username) == ["ada@contoso.example", "old@contoso.example"])
    try await application.signout(with: account, signoutParameters: fixture.signOut())
    #expect(try application.allAccounts().map(\.username) == ["old@contoso.example"])
    #expect(own.heard == ["update ada@contoso.example", "remove ada@contoso.example"])
  }

  @Test("device accounts are loaded asynchronously")
  func accountsFromDevice() async throws {
    let own = OwnAccounts()
    let goesOn = DispatchSemaphore(value: 0)
    own.isReady = { goesOn.wait(timeout: .now() + stepTimeout) == .success }
    let application = try fixture.application(configure: { $0.cacheConfig.addExternalAccountProvider(own) })
    let names = await withCheckedContinuation { continuation in
      application.accountsFromDevice(for: MSALAccountEnumerationParameters()) { accounts, _ in
        continuation.resume(returning: accounts?.map(\.username))
      }
      goesOn.signal()
    }
    #expect(names == ["old@contoso.example"])
  }

  @Test("completion blocks run on the queue in the parameters")
  func queues() async throws {
    let key = DispatchSpecificKey<Bool>()
    let queue = DispatchQueue(label: "the test's")
    queue.setSpecific(key: key, value: true)
    func isOnQueue(_ call: (@escaping @Sendable () -> Void) -> Void) async -> Bool {
      await withCheckedContinuation { continuation in
        call { continuation.resume(returning: DispatchQueue.getSpecific(key: key) == true) }
      }
    }
    let interactive = fixture.interactive()
    interactive.completionBlockQueue = queue
    #expect(await isOnQueue { done in application.acquireToken(with: interactive) { _, _ in done() } })
    let account = try #require(try application.allAccounts().first)
    let silent = MSALSilentTokenParameters(scopes: ["user.read"], account: account)
    silent.completionBlockQueue = queue
    #expect(await isOnQueue { done in application.acquireTokenSilent(with: silent) { _, _ in done() } })
    silent.completionBlockQueue = nil
    #expect(await !isOnQueue { done in application.acquireTokenSilent(with: silent) { _, _ in done() } })
    let parameters = MSALParameters()
    parameters.completionBlockQueue = queue
    #expect(await isOnQueue { done in application.getCurrentAccount(with: parameters) { _, _, _ in done() } })
    #expect(await !isOnQueue { done in application.getDeviceInformation(with: nil) { _, _ in done() } })
    let signOut = fixture.signOut()
    signOut.completionBlockQueue = queue
    #expect(
      await isOnQueue { done in application.signout(with: account, signoutParameters: signOut) { _, _ in done() } }
    )
  }

  @Test("a synchronous call times out with MSAL's error if the store doesn't respond")
  func bounded() {
    let error = #expect(throws: AuthenticationError.self) {
      try blocking(within: .milliseconds(50)) { try await Task.sleep(for: .seconds(3600)) }
    }
    #expect(error?.code == .storeUnavailable)
  }
}

/// Accounts of an older application.
private final class OwnAccounts: MSALExternalAccountProviding {
  private struct OldAccount: MSALAccountProtocol {
    let username: String? = "old@contoso.example"
    let identifier: String? = "old.tenant"
    let environment = "login.microsoftonline.com"
    let accountClaims: [String: Any]? = nil
  }

  private(set) var heard: [String] = []
  /// Checked before listing; false means no accounts.
  var isReady: @Sendable () -> Bool = { true }

  func update(_ account: any MSALAccountProtocol, idTokenClaims: [AnyHashable: Any]) throws {
    heard.append("update \(idTokenClaims["preferred_username"] as? String ?? "")")
  }

  func remove(_ account: any MSALAccountProtocol) throws { heard.append("remove \(account.username ?? "")") }

  func accounts(with parameters: MSALAccountEnumerationParameters) throws -> [any MSALAccountProtocol] {
    isReady() ? [OldAccount()] : []
  }
}
