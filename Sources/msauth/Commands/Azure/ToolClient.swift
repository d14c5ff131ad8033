import ArgumentParser
import MSAuth
import MSAuthAzure
import MSAuthPreferences

/// Gets tokens for a stand-in, which has none of msauth's options; the environment and the configuration apply.
struct ToolClient {
  let settings: Settings

  var cloud: AzureCloud { settings.application.authority.azureCloud }

  init() throws { settings = try Settings(ProviderOptions.parse([])) }

  /// The account, which must be able to get tokens in the tenant, and the tenant.
  func account(in tenant: String?) async throws(AuthenticationError) -> (Account, tenant: String?) {
    let authority = try tenant.map(settings.application.authority.inTenant)
    var settings = settings
    settings.application.authority = authority ?? settings.application.authority
    let account = try await Session(settings).account()
    return (account, authority?.namesTenantByID == true ? authority?.tenant : account.tenant)
  }

  func token(
    _ scopes: [String],
    tenant: String? = nil,
    claims: String? = nil
  ) async throws(AuthenticationError) -> TokenResult {
    var session = try await Session(settings, scopes: scopes)
    session.parameters.requirements = claims.map { ResourceRequirements(claims: $0) }
    session.parameters.authority = try tenant.map(settings.application.authority.inTenant)
    let scope = scopes.first ?? ""
    do throws(AuthenticationError) {
      // A request to the endpoint has no claims.
      return try await token(of: session, for: scope, signsInElsewhere: claims == nil)
    } catch {
      guard error.lacksConsent else { throw error }
      throw error.with(hint: "run \(command: Invocation.consentCommand(for: scope, login: Self.msauth("login")))")
    }
  }

  /// Returns a token, after a sign-in by the endpoint's process if one is needed: SDKs end this process after 10 seconds.
  private func token(
    of session: Session,
    for scope: String,
    signsInElsewhere: Bool
  ) async throws(AuthenticationError) -> TokenResult {
    do throws(AuthenticationError) {
      return try await session.token()
    } catch {
      guard error.code == .interactionRequired, signsInElsewhere else { throw error }
      switch await AzureEndpoint.signIn(for: scope, settings.application.environment) {
      case .signedIn: return try await session.token()
      // A message that begins otherwise is about a failed sign-in, such as one with another account.
      case .failed(let message) where !message.hasPrefix(error.message):
        throw error.with {
          ($0.code, $0.message, $0.reason) = (.userCanceled, message.printable(limit: 1000), "sign_in_failed")
          $0.hint = nil
        }
      case .failed, .noEndpoint: throw error
      }
    }
  }
}
