import MSAuthJOSE
package import MSAuthTransport

extension AuthenticationError {
  /// The accounts that match, with `Code.ambiguousAccount`.
  public var candidates: [Account] {
    get { self[[Account].self] ?? [] }
    set { self[[Account].self] = newValue }
  }

  /// The valid result, with `Code.serverDeclinedScopes`.
  public var result: TokenResult? {
    get { self[TokenResult.self] }
    set { self[TokenResult.self] = newValue }
  }

  /// An unexpected response, such as a network's login page.
  package init(unexpected response: HTTPResponse, from url: String, what: String, hint: Hint? = nil) {
    var message = "\(url.printable()) returned status \(response.status) instead of \(what)"
    // RFC 6585 §6: 511 is a network's login page; others redirect there.
    let isPage = response.status == 511 || response.status.isRedirectStatus
    if isPage { message += "; it may come from a login page of the network" }
    self.init(status: response.status, .invalidResponse, message, hint: hint)
    if isPage { self.hint = .networkLogin }
  }

  /// A response with this status; a transient one has a code and a hint of its own.
  package init(status: Int, _ code: Code, _ message: String, retryAfter: Duration? = nil, hint: Hint?) {
    let isTransient = status.isTransientStatus
    let reason = Reason(rawValue: "http_\(status)")
    let hint = isTransient ? .tryAgainLater(after: retryAfter) : hint
    self.init(isTransient ? .providerUnreachable : code, message, reason: reason, hint: hint)
    httpStatus = status
    if isTransient { self.retryAfter = retryAfter }
  }

  /// Returns a copy with these changes.
  package func with(_ change: (inout AuthenticationError) -> Void) -> AuthenticationError {
    var error = self
    change(&error)
    return error
  }

  /// Returns a copy whose hint repeats the request: a plain sign-in would lack its claims.
  func withSignInHint(for request: TokenParameters) -> AuthenticationError {
    let isSpecial = request.requirements.map { $0.claims != nil || $0.needsSignIn } ?? false
    guard isSpecial || request.claims != nil || provider?.claims != nil else { return self }
    let words = "sign in with the claims of this request"
    return with { $0.hint = "\(action: .signInForRequest(scopes: request.scopes), or: words)" }
  }

  init(_ error: TokenRejection) {
    self.init(.invalidResponse, error.message, reason: Reason(rawValue: error.rule.rawValue))
  }

  /// Not all requested scopes were granted; the result is valid and stored.
  init(declined: Scopes, of result: TokenResult) {
    let names = declined.names.map { $0.printable(limit: 200) }.joined(separator: ", ")
    let hint: Hint = """
      \(result.account.username) is signed in for the rest; request no more, or \(signIn: declined.names) with \
      \(setting: "prompt", "consent", or: "the consent page")
      """
    self.init(.serverDeclinedScopes, "the provider didn't grant \(names)", reason: "scopes_declined", hint: hint)
    declinedScopes = declined.names
    self.result = result
  }

  package static let noAccount =
    Self(.accountRequired, "no account is signed in", reason: "no_account", hint: .signIn)

  /// Several accounts match.
  package init(ambiguous accounts: [Account]) {
    let hint: Hint = """
      name one with \(setting: "account", or: "the account"), by its username or by the ID in parentheses, or switch \
      the current account
      """
    self.init(.ambiguousAccount, "\(accounts.count) accounts match", reason: "ambiguous_account", hint: hint)
    candidates = accounts
  }

  /// An account other than the expected one signed in.
  init(other: Account, insteadOf name: String) {
    let message = "\(other.username.printable()) signed in instead of \(name.printable())"
    let hint: Hint = .chooseExpectedAccount(name, signedIn: other.username)
    self.init(.accountRequired, message, reason: .otherAccount, hint: hint)
  }

  package init(notSignedIn name: String, known: [Account], offersSignIn: Bool = true) {
    let names = known.map(\.username)
    let near = nearest(Self.listedAccounts, to: name, in: names)
    let others = names.filter { name in !near.contains { $0.isIdentical(to: name) } }
    let listed = (near + others).prefix(Self.listedAccounts)
    let more = names.count == listed.count ? "" : " and \(names.count - listed.count) more"
    let alternative: Hint =
      names.isEmpty
      ? "no account is signed in" : "name one that is signed in: \(listed.joined(separator: ", "))\(more)"
    let signIn: Hint = names.isEmpty ? .signIn : "\(signIn: [], account: name), or \(alternative)"
    // The name may lack the domain.
    let completed = names.filter { $0.lowercased().hasPrefix(name.lowercased() + "@") }
    let hint = completed.count == 1 ? "did you mean \(completed[0])?" : offersSignIn ? signIn : alternative
    self.init(.accountRequired, "\(name.printable()) isn't signed in", reason: "account_unknown", hint: hint)
  }

  private static let listedAccounts = 5

  static let strongerSignInRequired = AuthenticationError(
    .interactionRequired,
    "the resource requires a newer or stronger sign-in",
    reason: "insufficient_user_authentication",
    hint: "add \(setting: "interactive", or: "parameters of an interactive sign-in") to sign in now"
  )

  /// An account can't be used at an authority, since it belongs to another provider.
  init(_ account: Account, isNotAt authority: Authority, _ consequence: String) {
    let provider = [account.environment, account.realm].compactMap(\.self).joined(separator: "/").printable()
    let message = "the account belongs to \(provider), not to \(authority.url.printable()), so \(consequence)"
    let setting: Hint = "\(setting: "authority", "URL", or: "the authority setting")"
    let hint: Hint = "with \(setting), name the authority where it signed in"
    self.init(.invalidParameter, message, reason: "account_elsewhere", hint: hint)
  }
}
