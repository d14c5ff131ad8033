import FoundationEssentials
import MSAuthCrypto
import MSAuthTransport

/// A provider as one call sees it: who asks it, and with what.
struct Provider: Sendable {
  let context: Context
  let authority: Authority
  let metadata: ProviderMetadata
  /// The ID that requests to Microsoft carry (`client-request-id`).
  let correlationID: String
  /// The key that the tokens are bound to; nil for bearer tokens.
  var key: DPoPKey?

  /// The provider of a sign-in, with the key that the client has for it, else a new one.
  static func forSignIn(_ parameters: TokenParameters, _ context: Context) async throws -> Provider {
    let authority = parameters.authority ?? context.configuration.authority
    let keys = try DPoPKeyStore(context.configuration, at: authority)
    let metadata = try await context.dependencies.metadata(of: authority)
    return Provider(
      context: context,
      authority: authority,
      metadata: metadata,
      correlationID: parameters.correlationID ?? UUID().uuidString.lowercased(),
      key: try await keys.keyForSignIn(metadata, in: await context.dependencies.store.load())
    )
  }

  var clientID: String { context.configuration.clientID }

  /// The correlation ID if it was sent: to other providers it means nothing.
  var sentCorrelationID: String? { authority.isMicrosoft ? correlationID : nil }

  /// How the client authenticates: with its secret at the configured provider alone, which issued it.
  var authentication: ClientAuthentication {
    let isConfigured = authority.isOfSameProvider(as: context.configuration.authority)
    let secret = isConfigured ? context.configuration.clientSecret : nil
    return ClientAuthentication(secret: secret.map { Secret($0) }, metadata: metadata)
  }

  /// Posts a form, with a proof if the tokens are bound to a key.
  func post(_ form: FormRequest, isRepeatable: Bool = true) async throws -> HTTPResponse {
    try await context.dependencies.post(form, provenBy: key, isRepeatable: isRepeatable)
  }
}

// MARK: - Authorization request

extension Provider {
  /// The address to open in the browser; a pushed request (RFC 9126) stays out of the browser's history.
  func address(of request: AuthorizationRequest) async throws -> String {
    if let pushed = try await push(request) { return try request.url(metadata: metadata, pushed: pushed) }
    return try request.url(metadata: metadata)
  }

  private func push(_ request: AuthorizationRequest) async throws -> PushedAuthorizationResponse? {
    guard let endpoint = metadata.pushedAuthorizationRequestEndpoint else { return nil }
    let form = try request.pushedForm(to: endpoint, authority: authority, authentication: authentication)
    do {
      let response = try await post(form)
      return try PushedAuthorizationResponse(
        parsing: response.body,
        status: response.status,
        retryAfter: context.dependencies.retryAfter(response)
      )
    } catch  where !metadata.requirePushedAuthorizationRequests && Self.mayBeIgnored(error) {
      return nil
    }
  }

  /// Whether the provider may accept the same request in the address: the error isn't about the request.
  private static func mayBeIgnored(_ error: any Error) -> Bool {
    switch error {
    case let error as ProviderError: ["invalid_client", "unauthorized_client"].contains(error.error)
    case let error as Failure:
      error.code == .providerUnreachable || ["invalid_response", "unexpected_page"].contains(error.reason)
    default: false
    }
  }
}

// MARK: - Tokens

extension Provider {
  /// Exchanges a code or a refresh token for tokens (RFC 6749 §3.2).
  func tokens(for request: TokenRequest, requesting scopes: Scopes) async throws -> TokenResponse {
    var request = request
    request.authentication = authentication
    do {
      return try await send(request, requesting: scopes)
    } catch let refusal as ProviderError where requiresAnySecret(refusal, of: request) {
      request.authentication = ClientAuthentication(secret: Secret(request.clientID), metadata: metadata)
      return try await send(request, requesting: scopes)
    }
  }

  /// Whether a provider such as oidc-provider-mock, without the method `none`, accepts any secret.
  private func requiresAnySecret(_ refusal: ProviderError, of request: TokenRequest) -> Bool {
    refusal.error == "invalid_client" && request.authentication == .none && request.authority.kind == .oidc
      && !metadata.tokenEndpointAuthMethods.contains("none")
  }

  private func send(_ request: TokenRequest, requesting scopes: Scopes) async throws -> TokenResponse {
    let isRefresh = if case .refreshToken = request.grant { true } else { false }
    // A failing server may have consumed the code or the refresh token. A second request with it makes a provider revoke
    // what it issued (RFC 6749 §4.1.2, RFC 9700 §4.14.2). Microsoft's refresh tokens aren't used up.
    let isRepeatable =
      switch request.grant {
      case .authorizationCode: false
      case .refreshToken: request.authority.kind != .oidc
      case .deviceCode: true
      }
    let response = try await post(try request.form(to: metadata.tokenEndpoint), isRepeatable: isRepeatable)
    let tokens = try TokenResponse(
      parsing: response.body,
      status: response.status,
      mediaType: response.mediaType,
      retryAfter: context.dependencies.retryAfter(response),
      type: key == nil ? .bearer : .dpop,
      requestedScopes: scopes,
      isRefresh: isRefresh,
      now: context.dependencies.clock.now()
    )
    if !tokens.leftOut.isEmpty {
      let names = tokens.leftOut.joined(separator: ", ")
      context.configuration.log(.warning, "the provider's answer has no usable \(person: names); the rest is used")
    }
    return tokens
  }

  /// Adds the userinfo endpoint's claims if the ID token doesn't name the user (OpenID Connect Core §5.4).
  func completing(_ claims: IDTokenClaims, with accessToken: Secret) async throws -> IDTokenClaims {
    guard claims.personName == nil, let endpoint = metadata.userinfoEndpoint, let subject = claims.subject,
      // Only a name is missing, so a missing response doesn't end the sign-in; one for another subject does.
      let response = try? await context.dependencies.ask(.get, endpoint, showing: accessToken, boundTo: key)
    else { return claims }
    do {
      let info = try UserInfo(
        parsing: response.body,
        status: response.status,
        mediaType: response.mediaType,
        about: subject
      )
      return IDTokenClaims(info.claims.all.merging(claims.all))
    } catch let error as Failure where error == .userInfoSubject {
      throw error
    } catch {
      return claims
    }
  }
}

// MARK: - Metadata

extension ProviderMetadata {
  /// A day: providers announce changes of endpoints long before, and keys are fetched again when one is unknown.
  static let freshness: UnixTime = 24 * 60 * 60
}

extension Dependencies {
  /// The authority's metadata, from the disk while it is fresh.
  func metadata(of authority: Authority) async throws -> ProviderMetadata {
    if let kept = await documents.document(authority.metadataURL),
      clock.age(of: kept.fetched) < ProviderMetadata.freshness,
      let metadata = try? ProviderMetadata(parsing: kept.bytes, for: authority)
    {
      return metadata
    }
    let (metadata, response) = try await fetchMetadata(of: authority)
    await documents.keep(response.body, as: authority.metadataURL, fetched: clock.now())
    return metadata
  }

  /// Fetches the authority's metadata, whatever the disk has.
  func fetchMetadata(of authority: Authority) async throws -> (metadata: ProviderMetadata, response: HTTPResponse) {
    var failures: [any Error] = []
    for url in authority.metadataURLs {
      do {
        let response = try await fetch(url, what: "the provider's metadata")
        return (try ProviderMetadata(parsing: response.body, for: authority), response)
      } catch {
        try Task.checkCancellation()
        failures.append(error)
      }
    }
    throw failures.first { ($0 as? AuthenticationError)?.httpStatus != 404 } ?? failures[0]
  }

  /// The metadata that an earlier run left, however old, without network.
  func keptMetadata(of authority: Authority) async -> ProviderMetadata? {
    await documents.document(authority.metadataURL).flatMap { try? ProviderMetadata(parsing: $0.bytes, for: authority) }
  }
}

/// What a provider's metadata says about it, for a user who configures it.
public struct ProviderInformation: Sendable {
  /// The issuer; where accounts of many issuers sign in, the authority's URL.
  public let issuer: String
  /// Whether somebody may sign in by a code on another device (RFC 8628).
  public let offersDeviceCode: Bool
}

extension PublicClientApplication {
  /// Fetches the metadata of the configured authority, and makes sure that it is that authority's.
  ///
  /// - Throws: ``AuthenticationError`` if the provider can't be reached, or its metadata is invalid.
  /// - Returns: What the metadata says.
  public func providerInformation() async throws(AuthenticationError) -> ProviderInformation {
    try await AuthenticationError.wrap {
      let metadata = try await context.dependencies.metadata(of: configuration.authority)
      return ProviderInformation(
        issuer: metadata.issuerRule.name(at: configuration.authority),
        offersDeviceCode: metadata.deviceAuthorizationEndpoint != nil
      )
    }
  }
}
