import ArgumentParser
import FoundationEssentials
import MSAuth
import MSAuthCore
import MSAuthPreferences

/// A mail server, such as `imap.example.com` or `imap.example.com:993`.
struct Server: ExpressibleByArgument {
  var host: String
  var port: UInt16?

  init?(argument: String) {
    let parts = argument.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    guard parts.count <= 2, !parts[0].isEmpty,
      parts[0].utf8.allSatisfy({ $0.isASCIIAlphanumeric || "-._".utf8.contains($0) })
    else { return nil }
    host = parts[0]
    if parts.count == 2 {
      guard let port = UInt16(parts[1]), port > 0 else { return nil }
      self.port = port
    }
  }
}

struct Token: AsyncParsableCommand {
  enum Form: String, CaseIterable {
    case token, header, json, env
    case idToken = "id-token"
    case xoauth2, oauthbearer
    case execCredential = "exec-credential"
  }

  static let configuration = CommandConfiguration(
    commandName: "token",
    abstract: "Print an access token; refresh it first if needed.",
    discussion: """
      Output formats: token (the token alone), id-token, header (Authorization: …), json, env (for eval), xoauth2 and \
      oauthbearer (a SASL response for a mail server, in Base64), exec-credential (for kubectl).

      Mail programs such as mutt, msmtp, mbsync and getmail build the SASL response themselves, so give them the token.

      EXAMPLES
        $ token=$(msauth token)
        $ msauth token --output header |
            curl -H @- https://graph.microsoft.com/v1.0/me
        $ msauth token --scope Mail.Read --interactive
      """
  )

  @Option(help: ArgumentHelp("Scope to request. Can be repeated.", valueName: "scope"))
  var scope: [String] = []

  @Flag(help: "Refresh even if the stored token is valid.")
  var forceRefresh = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Seconds that the token must still be valid. Default: 300.", valueName: "seconds")
  )
  var minValidity: Int64?

  @Option(help: ArgumentHelp("Claims request (JSON); ignores the stored token.", valueName: "json"))
  var claims: String?

  @Option(
    help: ArgumentHelp("WWW-Authenticate header of a resource that rejected the token.", valueName: "header")
  )
  var wwwAuthenticate: String?

  @Flag(help: "Sign in through the browser if needed.")
  var interactive = false

  @Flag(help: "If a sign-in is needed, ask in a desktop notification first.")
  var notify = false

  @Option(
    help: ArgumentHelp("Output format, see above. Default: token.", valueName: "form"),
    completion: .values(of: Form.self)
  )
  var output: String?

  @Option(
    help: ArgumentHelp("With xoauth2 or oauthbearer: the mailbox, if it isn't the account's.", valueName: "address")
  )
  var mailAddress: String?

  @Option(help: ArgumentHelp("With oauthbearer: the server, as HOST or HOST:PORT.", valueName: "server"))
  var server: Server?

  @Flag(help: "With exec-credential: use the ID token instead of the access token.")
  var idToken = false

  @Option(
    help: ArgumentHelp(
      "With DPoP: the request to prove, such as 'GET https://api.example/x'.",
      valueName: "request"
    )
  )
  var proofFor: ProvenRequest?

  @Option(help: ArgumentHelp("With DPoP: the DPoP-Nonce header of the resource's last response.", valueName: "nonce"))
  var proofNonce: String?

  @Flag(help: .json)
  var json = false

  @OptionGroup(title: "Account") var choice: AccountOption
  @OptionGroup(title: "Browser") var browsing: BrowserOptions
  @OptionGroup(title: "Provider, store and messages") var options: SharedOptions

  func validate() throws {
    if proofNonce != nil, proofFor == nil { throw ValidationError("--proof-nonce needs --proof-for") }
    if claims != nil, wwwAuthenticate != nil {
      throw ValidationError("--claims and --www-authenticate cannot be combined")
    }
    if json, let output, output != "json" {
      throw ValidationError("--json and --output \(output) cannot be combined")
    }
    try browsing.check(mayOpen: interactive || notify, with: "--interactive or --notify")
    if notify, interactive { throw ValidationError("--notify and --interactive cannot be combined") }
    if proofFor != nil, ![.header, .json].contains(form) {
      throw ValidationError("--proof-for needs --output header or json")
    }
    if mailAddress != nil, form != .xoauth2, form != .oauthbearer {
      throw ValidationError("--mail-address needs --output xoauth2 or oauthbearer")
    }
    if server != nil, form != .oauthbearer { throw ValidationError("--server needs --output oauthbearer") }
    if idToken, form != .execCredential { throw ValidationError("--id-token needs --output exec-credential") }
    let allowed = 0...TokenParameters.maximumValidity.components.seconds
    if let minValidity, !allowed.contains(minValidity) {
      throw ValidationError("--min-validity must be a number of seconds from 0 to \(allowed.upperBound)")
    }
  }

  func run() async throws {
    if let output { _ = try Form(word: output, of: "--output") }
    let settings = try Settings(options, choice)
    var (application, parameters) = browsing.request(settings, scopes: scope)
    parameters.requirements = try requirements()
    parameters.forceRefresh = forceRefresh
    parameters.minimumValidity = minValidity.map { .seconds($0) }
    parameters.requiresIDToken = idToken || form == .idToken
    let interaction = parameters.interaction
    if !interactive { parameters.interaction = nil }
    // Wrong arguments are reported before the sign-in.
    let version = form == .execCredential ? try ExecCredentialVersion(environment: application.environment) : .v1
    try checkProof(application, printsHeader: form == .header)

    let client = try await PublicClientApplication(configuration: application)
    let result: TokenResult
    do {
      result = try await browsing.token(with: parameters, from: client)
    } catch {
      guard notify, let failure = error as? AuthenticationError, ExitStatus(of: failure) == .signInNeeded
      else { throw error }
      let (silent, browsing) = (parameters, browsing)
      let user = settings.account.map { " as \($0.value.printable(limit: 100))" } ?? ""
      let notification = SignInNotification(summary: "Sign in" + user, environment: application.environment)
      let ending = try await notification.ending {
        (try? await browsing.token(with: silent, from: client)) != nil
      }
      if ending == .closed { throw error }
      if ending == .accepted { parameters.interaction = interaction }
      result = try await browsing.token(with: parameters, from: client)
    }
    noticeShortLife(of: result)
    let proof = try await proof(with: result, by: client)
    let isCurrent = form == .json ? await choice.isCurrent(result.account, of: client) : nil
    try print(result, version, isCurrent: isCurrent, proof: proof)
  }

  private var form: Form { json ? .json : output.flatMap(Form.init) ?? .token }

  /// Reports that each call would refresh.
  private func noticeShortLife(of result: TokenResult) {
    let left = Int64(result.expiresOn.timeIntervalSinceNow)
    guard let minValidity, left < minValidity else { return }
    let time = Duration.seconds(left).words
    Console.notice(
      "the provider's new token is valid for only \(time), less than --min-validity, so each call requests a new token"
    )
  }

  private func requirements() throws -> ResourceRequirements? {
    if let claims {
      _ = try ClaimsRequest(json: claims)
      return ResourceRequirements(claims: claims)
    }
    guard let wwwAuthenticate else { return nil }
    // With the field's name, as curl and browsers show it, or without.
    let name = "www-authenticate:"
    let value =
      wwwAuthenticate.lowercased().hasPrefix(name) ? wwwAuthenticate.dropFirst(name.count) : wwwAuthenticate[...]
    if let requirements = ResourceRequirements(wwwAuthenticate: String(value)) { return requirements }
    throw AuthenticationError.usage(
      "--www-authenticate has no challenge that a token can satisfy",
      reason: "challenge_unknown",
      hint: """
        it should be Bearer or DPoP without an error, or with error="invalid_token", "insufficient_claims", \
        "insufficient_user_authentication", or "insufficient_scope" and a scope
        """
    )
  }

  private func print(
    _ result: TokenResult,
    _ version: ExecCredentialVersion,
    isCurrent: Bool?,
    proof: String?
  ) throws {
    switch form {
    case .idToken: try Console.result(line(try result.validatedIDToken()))
    case .xoauth2: try Console.result(result.xoauth2(user: mailAddress))
    case .oauthbearer:
      try Console.result(result.oauthBearer(user: mailAddress, host: server?.host, port: server?.port))
    case .execCredential: try Console.result(result.execCredential(version, usingIDToken: idToken))
    case .token: try Console.result(line(result.accessToken))
    case .header:
      try Console.result("Authorization: " + line(result.authorizationHeader))
      if let proof { try Console.result("DPoP: " + proof) }
    case .json:
      var output = TokenOutput(result, isCurrent: isCurrent)
      output.accessToken = result.accessToken
      output.dpopProof = proof
      let claims = result.idToken.map { _ in JSONValue.object(result.idTokenClaims) }
      try Output(output, adding: ["id_token_claims": claims].compactMapValues(\.self)).print()
    case .env:
      let variables = [
        "MSAUTH_ACCESS_TOKEN": result.accessToken,
        "MSAUTH_EXPIRES_ON": "\(result.unixExpiry)",
        "MSAUTH_USERNAME": result.account.username.printable(),
      ]
      let assignments = try variables.sorted { $0.key < $1.key }.map { "\($0.key)=\(try line($0.value).shellQuoted)" }
      try Console.result("export " + assignments.joined(separator: " "))
    }
  }

  /// A script reads one line.
  private func line(_ text: String) throws -> String {
    guard text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7f }) else {
      throw AuthenticationError(
        .invalidResponse,
        "the token has control characters, which could mislead a script",
        reason: "token_not_printable",
        hint: "use --output json"
      )
    }
    return text
  }
}

/// A request, such as `GET https://api.example/x`.
struct ProvenRequest: ExpressibleByArgument {
  var method: String
  var url: URL

  init?(argument: String) {
    let words = argument.split(separator: " ")
    guard words.count == 2, let url = URL(string: String(words[1])) else { return nil }
    method = String(words[0])
    self.url = url
  }
}

// DPoP (RFC 9449).
extension Token {
  /// Refuses a header without the proof that it needs, and a proof that isn't needed.
  func checkProof(_ configuration: ClientConfiguration, printsHeader: Bool) throws {
    if configuration.usesDPoP, printsHeader, proofFor == nil {
      throw AuthenticationError.usage(
        "--output header requires --proof-for with DPoP, since a proof is valid for one request",
        reason: "proof_needed",
        hint: "add --proof-for 'GET https://api.example/path' with the request's method and URL"
      )
    }
    if !configuration.usesDPoP, proofFor != nil {
      throw AuthenticationError.usage(
        "--proof-for requires DPoP, which is off",
        reason: "token_not_bound",
        hint: "omit it, or set \"dpop\": true in the configuration and sign in again"
      )
    }
  }

  func proof(with token: TokenResult, by application: PublicClientApplication) async throws -> String? {
    guard let request = proofFor else { return nil }
    return try await application.dpopProof(method: request.method, url: request.url, token: token, nonce: proofNonce)
  }
}
