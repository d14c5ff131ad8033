import ArgumentParser
import FoundationEssentials
import MSAuth
import MSAuthPreferences

struct Token: ReportingCommand {
  enum OutputFormat: String, TokenFormat {
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

  @Option(help: .scope) var scope: [ScopeArgument] = []

  @Flag(help: "Refresh even if the stored token is valid.")
  var forceRefresh = false

  @Option(
    parsing: .unconditional,
    help: .value("duration", "Time that the token must still be valid, such as 90s or 1h. Default: 5m.")
  )
  var minValidity: DurationArgument?

  @Option(help: .value("json", "Claims request (JSON or Base64); ignores the stored token."))
  var claims: String?

  @Option(help: .value("header", "WWW-Authenticate header of a resource that rejected the token."))
  var wwwAuthenticate: String?

  @Flag(help: .interactive) var interactive = false

  @Flag(help: "If a sign-in is needed, show a desktop notification first.")
  var notify = false

  @OptionGroup var formatOptions: TokenFormatOptions<OutputFormat>

  @Option(help: .value("address", "With xoauth2 or oauthbearer: the mailbox, if it isn't the account's."))
  var mailAddress: String?

  @Option(help: "With oauthbearer: the server, as HOST or HOST:PORT.")
  var server: MailServer?

  @Flag(help: "With exec-credential: use the ID token instead of the access token.")
  var idToken = false

  @Option(help: .value("request", "With DPoP: the request to prove, such as 'GET https://api.example/x'."))
  var proofFor: ProvenRequest?

  @Option(help: .value("nonce", "With DPoP: the DPoP-Nonce header of the resource's last response."))
  var proofNonce: String?

  @OptionGroup(title: AccountOption.title) var accountOption: AccountOption
  @OptionGroup(title: BrowserOptions.title) var browsing: BrowserOptions
  @OptionGroup(title: ProviderOptions.title) var options: ProviderOptions

  func validate() throws {
    try browsing.rejectIgnored(mayOpen: interactive || notify, with: "--interactive or --notify")
    try minValidity?.check("--min-validity", upTo: TokenParameters.maximumValidity, acceptsZero: true)
    try reject(together: ["--claims": claims != nil, "--www-authenticate": wwwAuthenticate != nil])
    try reject(together: ["--notify": notify, "--interactive": interactive])
    let isMail = [.xoauth2, .oauthbearer].contains(format)
    try reject(mistakes: [
      "--proof-nonce needs --proof-for": proofNonce != nil && proofFor == nil,
      "--proof-for needs --output header or json": proofFor != nil && ![.header, .json].contains(format),
      "--mail-address needs --output xoauth2 or oauthbearer": mailAddress != nil && !isMail,
      "--server needs --output oauthbearer": server != nil && format != .oauthbearer,
      "--id-token needs --output exec-credential": idToken && format != .execCredential,
    ])
  }

  func run() async throws {
    // 1. Prepare the request, and check the arguments before a sign-in.
    var session = try await Session(Settings(options, accountOption), signingInWith: browsing, scopes: scope.names)
    session.parameters.requirements = try requirements()
    session.parameters.forceRefresh = forceRefresh
    session.parameters.minimumValidity = minValidity?.duration
    session.parameters.requiresIDToken = idToken || format == .idToken
    let version = format == .execCredential ? try ExecCredentialVersion() : .v1
    try checkProof(session.client.configuration)

    // 2. Get the token.
    let result = try await token(of: session)
    noticeShortLife(of: result)

    // 3. Print it.
    try await print(result, version, of: session.client)
  }

  /// Returns the token of a session that may sign in; signs in only with --interactive, or with --notify if the user agrees.
  private func token(of session: Session) async throws -> TokenResult {
    if interactive { return try await session.token() }
    let silent = session.silent
    do {
      // A timer must not prompt for the keyring's password either.
      return try await (notify ? silent.withoutPrompts : silent).token()
    } catch {
      var error = error
      // Without the challenge's scopes, another sign-in wouldn't help.
      if error.provider != nil, let challenge = session.parameters.requirements, challenge.claims == nil,
        !challenge.scopes.isEmpty
      {
        error.hint = "\(signIn: Scopes.adding(challenge.scopes, to: session.parameters.scopes))"
      }
      guard notify, error.needsSignIn else { throw error }
      return try await (acceptsSignIn(silent, after: error) ? session : silent).token()
    }
  }

  /// Whether the user agrees to sign in; `false` if another process gets a token first.
  private func acceptsSignIn(_ session: Session, after error: AuthenticationError) async throws -> Bool {
    let user = session.parameters.username.map { " as \($0.printable(limit: 100))" } ?? ""
    let notification = SignInNotification(summary: "Sign in" + user)
    let ending = try await notification.ending { await session.client.watchToken(with: session.parameters) }
    if ending == .closed { throw error }
    return ending == .accepted
  }

  private var format: OutputFormat { formatOptions.format }

  /// Reports that every call will request a new token, if new tokens are valid for less than --min-validity.
  private func noticeShortLife(of result: TokenResult) {
    let left = Int64(result.expiresOn.timeIntervalSinceNow)
    guard let minimum = minValidity?.duration, .seconds(left) < minimum else { return }
    let lifetime = "valid for only \(Duration.seconds(left).words), less than --min-validity"
    Console.notice("the provider's new token is \(lifetime), so each call requests a new token")
  }

  private func requirements() throws -> ResourceRequirements? {
    if let claims = claims?.decodedClaims {
      _ = try ClaimsRequest(json: claims)
      return ResourceRequirements(claims: claims)
    }
    guard let wwwAuthenticate else { return nil }
    // curl and browsers show the header with its name.
    let name = "www-authenticate:"
    let value =
      wwwAuthenticate.lowercased().hasPrefix(name) ? wwwAuthenticate.dropFirst(name.count) : wwwAuthenticate[...]
    if let requirements = ResourceRequirements(wwwAuthenticate: String(value)) { return requirements }
    let hint: Hint = """
      it should be Bearer or DPoP without an error, or with error="invalid_token", "insufficient_claims", \
      "insufficient_user_authentication", or "insufficient_scope" and a scope
      """
    let message = "--www-authenticate has no challenge that a token can satisfy"
    throw AuthenticationError.usage(message, reason: "challenge_unknown", hint: hint)
  }

  private func print(
    _ result: TokenResult,
    _ version: ExecCredentialVersion,
    of client: PublicClientApplication
  ) async throws {
    switch format {
    case .idToken: try Console.result(result.idTokenLine())
    case .xoauth2: try Console.result(result.xoauth2(user: mailAddress))
    case .oauthbearer:
      try Console.result(result.oauthBearer(user: mailAddress, host: server?.host, port: server?.port))
    case .execCredential: try Console.result(result.execCredential(version, usingIDToken: idToken))
    case .token: try Console.result(result.tokenLine())
    case .header:
      let proof = try await proof(with: result, by: client)
      try Console.result(result.headerLine())
      if let proof { try Console.result("DPoP: " + proof) }
    case .json:
      var output = JSONResult(result, isCurrent: await accountOption.isCurrent(result.account, of: client))
      output.members["access_token"] = .string(result.accessToken)
      output.members["dpop_proof"] = try await proof(with: result, by: client).map { .string($0) }
      if result.idToken != nil { output.members["id_token_claims"] = .object(result.idTokenClaims) }
      try output.print()
    case .env: try Console.result(result.exportLine())
    }
  }
}

// DPoP (RFC 9449).
extension Token {
  /// Rejects a header without the proof that it needs, and a proof that isn't needed.
  private func checkProof(_ configuration: ClientConfiguration) throws {
    if configuration.usesDPoP, format == .header, proofFor == nil {
      let message = "--output header needs --proof-for with DPoP, since a proof is valid for one request"
      let hint: Hint = "add --proof-for 'GET https://api.example/path' with the request's method and URL"
      throw AuthenticationError.usage(message, reason: "proof_needed", hint: hint)
    }
    if !configuration.usesDPoP, proofFor != nil {
      let hint: Hint = "omit it, or set \"dpop\": true in the configuration and sign in again"
      throw AuthenticationError.usage("--proof-for needs DPoP, which is off", reason: "token_not_bound", hint: hint)
    }
  }

  private func proof(with token: TokenResult, by client: PublicClientApplication) async throws -> String? {
    guard let request = proofFor else { return nil }
    return try await client.dpopProof(method: request.method, url: request.url, token: token, nonce: proofNonce)
  }
}
