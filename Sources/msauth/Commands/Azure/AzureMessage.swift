import MSAuth
import MSAuthAzure

/// The messages about consent, which a token for a resource may lack.
enum AzureMessage {
  @Sendable static func text(_ error: AuthenticationError, scope: String) -> String {
    guard error.lacksConsent else { return error.oneLine }
    let command = consent(to: scope, login: Invocation.login(without: "--scope"))
    return "\(error.message.printable()); run \(command.shellCommand)"
  }

  /// The sign-in with the user's consent to a scope.
  ///
  /// Microsoft accepts no other resource's scope beside /.default, and most resources have one permission for users.
  static func consent(to scope: String, login: [String]) -> [String] {
    let resource = AzureEndpoint.resource(scope) ?? scope
    guard resource != scope else { return login + Invocation.option("--extra-scope", scope) }
    if Authority.isGraph(resource) { return login + Invocation.option("--scope", scope) }
    return login + Invocation.option("--extra-scope", resource.withoutTrailingSlash + "/user_impersonation")
  }
}

extension AuthenticationError {
  /// Whether the user or an administrator has to consent to the scope.
  var lacksConsent: Bool {
    code == .interactionRequired
      && (provider?.codes.contains(65001) == true || provider?.subError == "consent_required")
  }
}
