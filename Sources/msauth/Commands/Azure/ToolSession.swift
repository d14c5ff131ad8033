import ArgumentParser
import FoundationEssentials
import MSAuth
import MSAuthAzure
import MSAuthPreferences

/// The settings of a program without msauth's options, such as `az` or Docker's helper: from the environment and the
/// configuration.
struct ToolSession {
  let settings: Settings

  var cloud: AzureCloud { settings.application.authority.azureCloud }

  init() throws { settings = try Settings(ProviderOptions.parse([])) }

  /// `msauth login` or `logout` with the options of `msauth exec`; `authority` replaces its authority and tenant.
  static func command(_ name: String, authority: String? = nil) -> [String] {
    let environment = ProcessInfo.processInfo.environment
    var values: [String: String] = [:]
    // The user's own variables apply to the command anyway.
    for name in ExecEnvironment.settings(in: environment) where name != "account" {
      values[name] = environment["MSAUTH_" + name.uppercased()]
    }
    if let authority { (values["authority"], values["tenant"]) = (authority, nil) }
    return ["msauth", name] + Invocation.options(values.sorted { $0.key < $1.key })
  }

  /// `msauth login` for the tenant, scopes and claims that a tool's arguments name.
  static func login(_ arguments: ToolArguments?) -> [String] {
    let session = try? ToolSession()
    let authority = arguments?["tenant"].flatMap { try? session?.settings.application.authority.inTenant($0).url }
    let scopes = session.flatMap { try? arguments?.scopes(in: $0.cloud) } ?? []
    let claims = arguments?["claims"].map { Invocation.words("--claims", $0) } ?? []
    return command("login", authority: authority) + scopes.flatMap { Invocation.words("--scope", $0) } + claims
  }

  /// Names msauth's own command for `az login`, `az logout`, `azd auth login` and `azd auth logout`.
  static func rejectSignIn(_ words: ArraySlice<String>) throws(Rejection) {
    guard let name = words.first, ["login", "logout"].contains(name) else { return }
    let rest = words.dropFirst().map { $0.replacing("--claims-challenge", with: "--claims") }
    let arguments = try? ToolArguments(rest)
    throw Rejection("run \((name == "login" ? login(arguments) : command(name)).shellCommand) instead")
  }

  /// The account, which must be able to get tokens in the tenant, and the tenant.
  func account(in tenant: String?) async throws(AuthenticationError) -> (Account, tenant: String?) {
    let authority = try tenant.map(settings.application.authority.inTenant)
    var settings = settings
    settings.application.authority = authority ?? settings.application.authority
    let account = try await Session(settings, nil).account()
    return (account, authority?.namesTenantByID == true ? authority?.tenant : account.tenant)
  }

  func token(
    _ scopes: [String],
    tenant: String? = nil,
    claims: String? = nil
  ) async throws(AuthenticationError) -> TokenResult {
    var session = try await Session(settings, nil, scopes: scopes)
    session.parameters.requirements = claims.map { ResourceRequirements(claims: $0) }
    session.parameters.authority = try tenant.map(settings.application.authority.inTenant)
    let scope = scopes.first ?? ""
    do throws(AuthenticationError) {
      do throws(AuthenticationError) { return try await session.token() } catch {
        // SDKs end this process after 10 seconds; the endpoint's process can wait longer for the user.
        guard error.code == .interactionRequired, claims == nil else { throw error }
        let (isSignedIn, failure) = await AzureEndpoint.signIn(for: scope, settings.application.environment)
        if isSignedIn { return try await session.token() }
        // The sign-in may have failed for another reason, such as another account.
        guard let failure, !failure.hasPrefix(error.message) else { throw error }
        throw error.with { $0.message = failure.printable(limit: 1000) }
      }
    } catch {
      guard error.lacksConsent else { throw error }
      throw error.with(hint: "run \(command: AzureMessage.consent(to: scope, login: Self.command("login")))")
    }
  }
}
