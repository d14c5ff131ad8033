import MSAuth
import MSAuthAzure

/// The messages about consent, which a token for a resource may lack.
enum AzureMessage {
  @Sendable static func text(_ error: AuthenticationError, scope: String) -> String {
    guard error.lacksConsent else { return error.oneLine }
    let (option, value) = consent(to: scope)
    let login = Invocation.login(without: "--scope", adding: Invocation.words(option, value))
    return "\(error.message.printable()); run \(login.shellCommand)"
  }

  /// The option of `msauth login` for the user's consent to a scope.
  ///
  /// Microsoft accepts no other resource's scope beside /.default, and most resources have one permission for users.
  static func consent(to scope: String) -> (option: String, value: String) {
    let resource = AzureEndpoint.resource(scope) ?? scope
    guard resource != scope else { return ("--extra-scope", scope) }
    if Authority.isGraph(resource) { return ("--scope", scope) }
    return ("--extra-scope", resource.withoutTrailingSlash + "/user_impersonation")
  }
}

extension AuthenticationError {
  /// Whether the user or an administrator has to consent to the scope.
  var lacksConsent: Bool {
    code == .interactionRequired
      && (provider?.codes.contains(65001) == true || provider?.subError == "consent_required")
  }
}
