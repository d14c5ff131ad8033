package import Core

/// A request to the token endpoint (RFC 6749 §3.2).
package struct TokenRequest: Sendable {
  /// What is exchanged for tokens.
  package enum Grant: Sendable {
    /// RFC 6749 §4.1.3 and RFC 7636 §4.5.
    case authorizationCode(code: Secret, redirectURI: String, verifier: Secret)
    /// RFC 6749 §6.
    case refreshToken(Secret, scopes: Scopes, granted: Scopes? = nil)
    /// RFC 8628 §3.4.
    case deviceCode(Secret)
  }

  package let grant: Grant
  package let clientID: String
  package let authority: Authority
  /// A JSON object; see ``ClaimsParameter``.
  package let claims: String?
  package let correlationID: String?
  /// The resource that the access token is for (RFC 8707 §2.2).
  package let resource: String?
  /// The caller's own parameters, in the address; Microsoft's endpoints take some there.
  package var extraQuery: [String: String] = [:]
  /// How the client authenticates; a native one has nothing to do it with.
  package var authentication: ClientAuthentication = .none

  /// Makes a request.
  package init(
    _ grant: Grant,
    clientID: String,
    authority: Authority,
    claims: String? = nil,
    correlationID: String? = nil,
    resource: String? = nil
  ) {
    self.resource = resource
    self.grant = grant
    self.clientID = clientID
    self.authority = authority
    self.claims = claims
    self.correlationID = correlationID
  }

  /// The form to post.
  package func form(to endpoint: String) throws(Failure) -> FormRequest {
    FormRequest(
      to: try url(endpoint),
      fields: fields,
      clientID: clientID,
      authentication: authentication,
      diagnostics: ClientHeaders.fields(for: authority, correlationID: correlationID)
    )
  }

  private func url(_ endpoint: String) throws(Failure) -> String {
    guard authority.isMicrosoft, !extraQuery.isEmpty else { return endpoint }
    var list = ParameterList()
    let own = Set(fields.map(\.name) + ["client_id", "client_secret"])
    try list.addExtra(extraQuery) { name, shown in
      ReservedParameter.refusal(of: name, shown: shown) ?? (own.contains(name) ? .alreadySent(shown) : nil)
    }
    return try EndpointQuery.url(endpoint, adding: list.parameters)
  }

  private var fields: [(name: String, value: String)] {
    var list: [(name: String, value: String)] = []
    switch grant {
    case .authorizationCode(let code, let redirectURI, let verifier):
      list += [
        ("grant_type", "authorization_code"),
        ("code", code.revealed),
        ("redirect_uri", redirectURI),
        ("code_verifier", verifier.revealed),
      ]
    case .refreshToken(let token, let scopes, let granted):
      list += [("grant_type", "refresh_token"), ("refresh_token", token.revealed)]
      let asked = allowed(scopes, granted: granted)
      if !asked.isEmpty { list.append(("scope", asked.joined)) }
    case .deviceCode(let code):
      list += [("grant_type", "urn:ietf:params:oauth:grant-type:device_code"), ("device_code", code.revealed)]
    }
    if authority.isMicrosoft { list.append(("client_info", "1")) }
    if let claims, !claims.isEmpty { list.append(("claims", claims)) }
    if let resource { list.append(("resource", resource)) }
    return list
  }

  /// RFC 6749 §6: a refresh must not ask for a scope that was not granted.
  private func allowed(_ scopes: Scopes, granted: Scopes?) -> Scopes {
    guard let granted else { return scopes }
    // Entra grants OpenID Connect's own scopes without naming them all in its answer.
    return scopes.intersection(
      authority.isMicrosoft ? granted.union(.reserved) : granted,
      ignoringCase: authority.ignoresScopeCase
    )
  }
}

/// The tokens that the token endpoint gave (RFC 6749 §5.1, OpenID Connect Core §3.1.3.3).
package struct TokenResponse: Sendable, Equatable {
  /// Some tokens with many groups have 30 KB.
  package static let bodyLimit = 512 * 1024
  /// For a provider that does not say (RFC 6749 §5.1 only recommends it): what most give.
  package static let defaultLifetime: Int64 = 3600

  package let accessToken: Secret
  /// As caches and callers spell it, whatever case the provider used.
  package var tokenType: String { type.rawValue }
  /// The type that was asked for, and that it is.
  package let type: TokenType
  /// When the access token ends.
  package let expiresOn: UnixTime
  /// When it ends while the provider is down (Microsoft's `ext_expires_in`).
  package let extendedExpiresOn: UnixTime?
  /// When to refresh it although it is still valid (Microsoft's `refresh_in`).
  package let refreshOn: UnixTime?
  package let refreshToken: Secret?
  package let idToken: Secret?
  /// What was granted; what was asked for when the answer does not say (RFC 6749 §5.1).
  package let scopes: Scopes
  /// Microsoft's family of apps that share a refresh token (`foci`).
  package let familyID: String?
  /// Microsoft's `client_info`; see ``ClientInfo``.
  package let clientInfo: Secret?
  /// The members that were invalid and ignored: `scope`, and in the response to a refresh others too.
  package let leftOut: [String]

  /// Reads the answer of the token endpoint.
  package init(
    parsing body: [UInt8],
    status: Int,
    mediaType: String?,
    retryAfter: Int64? = nil,
    type: TokenType = .bearer,
    requestedScopes: Scopes,
    isRefresh: Bool = false,
    now: UnixTime
  ) throws {
    let json = try EndpointResponse.object(body, status: status, success: [200], limit: Self.bodyLimit, retryAfter)
    guard EndpointResponse.isJSON(mediaType) || isRefresh else {
      throw Failure.invalidResponse("its media type is \(mediaType ?? "missing"), not application/json")
    }
    let members = TokenMembers(json: json)
    var leftOut: [String] = []
    func optional<Value>(
      _ name: String,
      _ read: (String) throws(Failure) -> Value?
    ) throws(Failure) -> Value? {
      do throws(Failure) {
        return try read(name)
      } catch {
        guard isRefresh else { throw error }
        leftOut.append(name)
        return nil
      }
    }
    // RFC 6749 §7.1: a type that is not understood must not be used; its name is in any case of letters (§5.1).
    let given = TokenType(spelled: try members.text("token_type"))
    guard given == type else {
      // RFC 9449 §5: the protection that was asked for is missing, and nobody would notice.
      if type == .dpop, given == .bearer { throw Failure.bearerInstead }
      throw Failure.invalidResponse("token_type is missing or not \(type.rawValue)")
    }
    self.type = type
    guard let accessToken = try members.token("access_token") else {
      throw Failure.invalidResponse("access_token is missing")
    }
    self.accessToken = accessToken
    self.refreshToken = try optional("refresh_token", members.token)
    self.idToken = try optional("id_token", members.token)
    self.clientInfo = try optional("client_info", members.token)
    self.expiresOn = now + (try optional("expires_in", members.seconds) ?? Self.defaultLifetime)
    self.extendedExpiresOn = try optional("ext_expires_in", members.seconds).map { now + $0 }
    self.refreshOn = try optional("refresh_in", members.seconds).map { now + $0 }
    self.familyID = try optional("foci", members.text).flatMap { $0.isEmpty ? nil : $0.printable(limit: 32) }
    do throws(Failure) {
      self.scopes = try members.scopes("scope") ?? requestedScopes
    } catch {
      leftOut.append("scope")
      self.scopes = requestedScopes
    }
    self.leftOut = leftOut
  }
}

/// A token answer's members, each checked as it is read; null counts as absent.
private struct TokenMembers {
  let json: JSON.Object

  func text(_ name: String) throws(Failure) -> String? {
    guard let value = json[name], value != .null else { return nil }
    guard let text = value.string else { throw Failure.invalidResponse("\(name) is not a string") }
    return text
  }

  /// Visible ASCII alone (RFC 6750 §2.1): a line break would end the header field, or the line that a script reads.
  func token(_ name: String) throws(Failure) -> Secret? {
    guard let text = try text(name), !text.isEmpty else { return nil }
    guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw Failure.invalidResponse("\(name) has a character that a token cannot have")
    }
    return Secret(text)
  }

  func seconds(_ name: String) throws(Failure) -> Int64? {
    guard let value = json[name], value != .null else { return nil }
    guard let seconds = Lifetime.seconds(value) else {
      throw Failure.invalidResponse("\(name) is no number of seconds")
    }
    return seconds
  }

  /// Twitch sends an array of strings.
  func scopes(_ name: String) throws(Failure) -> Scopes? {
    let scopes: Scopes
    if let names = json[name]?.array {
      scopes = try Scopes(names.map { $0.string ?? "" })
    } else {
      guard let text = try text(name) else { return nil }
      scopes = try Scopes(parsing: text)
    }
    return scopes.isEmpty ? nil : scopes
  }
}

/// How an access token is shown to a resource (RFC 6749 §7.1).
package enum TokenType: String, Sendable, CaseIterable {
  /// By anybody who has it (RFC 6750).
  case bearer = "Bearer"
  /// Together with a proof by the key that it is bound to (RFC 9449 §7.1).
  case dpop = "DPoP"

  /// Reads a provider's spelling; the names have no case (RFC 6749 §5.1).
  init?(spelled name: String?) {
    guard let name = name?.lowercased(), let type = Self.allCases.first(where: { $0.rawValue.lowercased() == name })
    else { return nil }
    self = type
  }
}
