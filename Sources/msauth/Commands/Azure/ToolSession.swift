import ArgumentParser
import FoundationEssentials
import MSAuth
import MSAuthAzure
import MSAuthPreferences

/// The account and options of `msauth exec --azure`, which are in the environment.
struct ToolSession {
  let settings: Settings

  // Programs may read stderr; only errors belong there.
  init(_ options: [String] = ["-q"]) throws { settings = try Settings(try SharedOptions.parse(options)) }

  var cloud: AzureCloud { AzureCloud(of: settings.application.authority) }

  /// `msauth login` with the options of `msauth exec`.
  static var loginCommand: [String] {
    let environment = ProcessInfo.processInfo.environment
    let names = ["profile", "client_id", "authority", "authority_type", "tenant", "config"]
    return ["msauth", "login"] + Invocation.options(names.map { ($0, environment["MSAUTH_" + $0.uppercased()]) })
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
        // SDKs end this process after 10 s; the endpoint's process can wait for the user.
        guard error.code == .interactionRequired, claims == nil,
          await AzureEndpoint.signIn(for: scope, settings.application.environment)
        else { throw error }
        return try await session.token()
      }
    } catch {
      guard error.lacksConsent else { throw error }
      let (option, value) = AzureMessage.consent(to: scope)
      throw error.with(hint: "run \(command: Self.loginCommand + Invocation.words(option, value))")
    }
  }
}
