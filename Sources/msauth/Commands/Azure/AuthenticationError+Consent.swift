import MSAuth
import MSAuthAzure

extension AuthenticationError {
  /// Whether the user or an administrator has to consent to the scope.
  var lacksConsent: Bool {
    code == .interactionRequired
      && (provider?.codes.contains(65001) == true || provider?.subError == "consent_required")
  }

  /// The message of an endpoint's response to a request for a token with the scope.
  func endpointMessage(for scope: String) -> String {
    guard lacksConsent else { return oneLine }
    let command = Invocation.consentCommand(for: scope, login: Invocation.login(without: "--scope"))
    return "\(message.printable()); run \(command.shellCommand)"
  }
}

extension Invocation {
  /// The sign-in with the user's consent to a scope.
  ///
  /// Microsoft accepts no other resource's scope beside /.default, and most resources have one permission for users.
  static func consentCommand(for scope: String, login: [String]) -> [String] {
    let resource = AzureEndpoint.resource(scope) ?? scope
    guard resource != scope else { return login + option("--extra-scope", scope) }
    if Authority.isGraph(resource) { return login + option("--scope", scope) }
    return login + option("--extra-scope", resource.withoutTrailingSlash + "/user_impersonation")
  }
}
