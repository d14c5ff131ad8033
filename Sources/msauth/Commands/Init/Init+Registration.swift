import FoundationEssentials
import MSAuth
import MSAuthPreferences

// Choosing and checking the provider and the application.
extension Init {
  struct Selection {
    var registration: ClientRegistration
    /// `nil` if the provider couldn't be reached.
    var metadata: ProviderMetadata?
    /// Whether the provider knows the application.
    var isChecked = false
  }

  /// Prompts for missing values, and checks them.
  func choose(_ provider: String?, _ written: WrittenSettings) async throws -> Selection {
    // 1. The provider.
    var selection = try await chooseProvider(provider, written)
    let configuration = try selection.registration.configuration()
    if let metadata = selection.metadata {
      Console.notice("found \(metadata.issuerRule.name(at: configuration.authority).printable(limit: 200))")
    }

    // 2. The application.
    let clientID = chosenClientID(at: configuration.authority, written)
    let writtenClientID = written.clientID(at: configuration.authority)
    if clientID == nil, writtenClientID == nil {
      let isMicrosoft = [.aad, .b2c, .ciam].contains(configuration.authority.kind)
      Questions.explain(isMicrosoft ? Self.microsoftRegistration : Self.otherRegistration)
      // Not wrapped, to be copied.
      if !isMicrosoft { Console.write("  \(Invocation.initCommand(adding: Self.exactRedirect).shellCommand)\n\n") }
    }
    selection.registration.redirectURI = redirectURI?.uri
    try await promptUntilValid(clientID, "Application (client) ID", default: writtenClientID) { clientID in
      selection.registration.clientIDText = clientID
      selection.isChecked = try await checkApplication(selection, written)
    }
    return selection
  }

  private func chooseProvider(_ provider: String?, _ written: WrittenSettings) async throws -> Selection {
    if provider == nil { Questions.explain(Self.providerQuestion) }
    var selection = Selection(registration: registration(at: "common", written))
    try await promptUntilValid(provider, "Tenant or issuer", default: written.provider) { text in
      var registration = registration(at: text, written)
      selection.registration = registration
      do {
        selection.metadata = try await Self.metadata(at: registration)
      } catch  where registration.tenant?.contains(".") == true && tenant == nil {
        // A domain that isn't a tenant's may be an issuer's host.
        var issuer = registration
        (issuer.authority, issuer.tenant) = (text, nil)
        guard let found = try? await Self.metadata(at: issuer) else {
          guard error.isOffline, (try? issuer.configuration()) != nil else { throw error }
          let hint: Hint = "enter the URL of the issuer, or the ID of the tenant"
          let message = "couldn't look up whether \(text.printable(limit: 100)) is a tenant or an issuer"
          throw AuthenticationError.usage(message, reason: "provider_unknown", hint: hint)
        }
        selection = Selection(registration: issuer, metadata: found)
      } catch  where registration.authority != nil && registration.authorityType == nil {
        // Entra's authority at a host that isn't Microsoft's, such as the demo's, isn't its issuer.
        registration.authorityType = Authority.Kind.aad.rawValue
        guard !error.isOffline, let found = try? await Self.metadata(at: registration) else { throw error }
        selection = Selection(registration: registration, metadata: found)
      }
    }
    return selection
  }

  /// Checks the application; returns false if the provider couldn't check it.
  private func checkApplication(_ selection: Selection, _ written: WrittenSettings) async throws -> Bool {
    var configuration = try selection.registration.configuration()
    // The redirect URI that the file will have.
    let change = try draft(of: selection.registration).changes.first { $0.key.hasSuffix("redirect_uri") }
    configuration.redirectURI = if let change { change.new?.string } else { written.redirectURI }
    _ = try await PublicClientApplication(configuration: configuration)
    try checkClientID(configuration.clientID, at: configuration.authority)
    if selection.metadata == nil { return false }
    let result = try await Diagnosis(of: configuration, timeout: .seconds(10)).registration()
    if result.status == .warning { Self.warnUnchecked("application", result.message) }
    guard result.status == .failed else { return result.status == .ok }
    var hint = result.hint
    if configuration.redirectURI == nil, hint == .checkRegistration {
      hint = """
        \(.checkRegistration); if the provider requires an exact redirect URI, register \(Self.exactRedirect[1]) and run: \
        \(command: Invocation.initCommand(adding: Self.exactRedirect))
        """
    }
    throw AuthenticationError(.invalidConfiguration, result.message, reason: "check_failed", hint: hint)
  }

  private static func warnUnchecked(_ what: String, _ why: String, _ hint: Hint? = nil, isPrompt: Bool = false) {
    if Console.isQuiet, !isPrompt { return }
    Console.message("the \(what) wasn't checked: \(why)")
    if let hint { Console.hint(hint) }
    Console.hint("check it later: \(command: Invocation.msauth("doctor"))")
  }

  private static func metadata(at registration: ClientRegistration) async throws -> ProviderMetadata {
    let configuration = try registration.configuration()
    return try await Dependencies.system(for: configuration).metadata(of: configuration.authority)
  }

  /// Checks the given value, or prompts until a value is valid or the user keeps it.
  private func promptUntilValid(
    _ given: String?,
    _ question: String,
    default: String? = nil,
    _ check: (String) async throws -> Void
  ) async throws {
    var entered = given
    while true {
      do {
        let value = if let entered { entered } else { try await Questions.ask(question, default: `default`) }
        entered = nil
        return try await check(value)
      } catch let error as AuthenticationError where ![.canceled, .userCanceled].contains(error.code) {
        if error.isOffline {
          Self.warnUnchecked(question.startingLowercase, error.message, error.hint, isPrompt: !yes)
          if yes { return }
          if try await Questions.confirm("Use it anyway?", default: true) { return }
        } else {
          Console.error(error)
          if error.reason == "check_failed", !yes {
            switch try await Questions.decide("Use it anyway?", default: false) {
            case .yes: return
            case .no: break
            case .other(let value): entered = value
            }
          }
        }
        guard given == nil || entered != nil else {
          Console.message("nothing was written")
          throw CommandFailure(error)
        }
      }
    }
  }

  func checkClientID(_ clientID: String, at authority: Authority) throws {
    let name = self.clientID == nil ? "the client ID" : "--client-id"
    try Sourced(clientID, .flag(name)).checkClientID(at: authority)
  }

  private static let providerQuestion = """
    Choose where you sign in, and with which application.

    Where do you sign in?
      common                     any Microsoft account: work, school or personal
      contoso.onmicrosoft.com    one Microsoft tenant, by its domain or its ID
      https://id.example.com     another OpenID provider, by its issuer

    """

  private static let microsoftRegistration = """

    Which application? If your administrator hasn't registered one, register it:
      1. Open https://entra.microsoft.com: App registrations, New registration.
      2. Enter a name, and choose who can sign in.
      3. Redirect URI: choose "Mobile and desktop applications" ("Public client/native"), and enter http://localhost
      4. For --device-code: under Authentication, set "Allow public client flows" to Yes.
      5. Copy the application (client) ID from the Overview page.

    """

  private static let exactRedirect = ["--redirect-uri", "http://127.0.0.1:8400/"]

  private static let otherRegistration = """

    Which application? Register one with the provider:
      - a public or native client without a secret, with PKCE (S256)
      - the authorization code flow, and refresh tokens if it offers that choice
      - the redirect URI http://127.0.0.1/, on any port

    If the provider requires an exact redirect URI, register \(exactRedirect[1]), press Ctrl-C and run:
    """
}

extension Error {
  fileprivate var isOffline: Bool { (self as? AuthenticationError)?.code == .providerUnreachable }
}
