import FlyingFox
import LibCrypto
import Core

extension Endpoints {
  /// The metadata document (OpenID Connect Discovery §3, RFC 8414 §2).
  func metadata(_ flavour: Flavour) async -> HTTPResponse {
    let algorithm = state.options.algorithm.rawValue
    let places = ProviderPlaces(baseURL: baseURL, issuerURL: state.options.issuerURL ?? baseURL)
    var document: [String: JSONValue] =
      switch flavour {
      case .entra(let audience): places.entra(audience)
      case .b2c(let tenant, let policy): places.b2c(tenant, policy: policy)
      case .adfs: places.adfs
      case .oidc: places.oidc
      }
    document["id_token_signing_alg_values_supported"] = [.string(algorithm)]
    document["response_modes_supported"] = ["query", "fragment", "form_post"]
    // AD FS gives refresh tokens unasked and knows no such scope.
    document["scopes_supported"] =
      flavour == .adfs ? ["openid", "profile", "email"] : ["openid", "profile", "email", "offline_access"]
    await state.poison.metadata(&document)
    return .json(.object(document), cache: "max-age=86400, private")
  }

  /// The published keys (RFC 7517).
  func keys() async -> HTTPResponse {
    if let answer = await state.poison.keysAnswer { return answer }
    guard let published = try? await state.publishedKeys() else {
      return HTTPResponse(statusCode: .internalServerError)
    }
    return .json(published, cache: "max-age=86400, private")
  }
}
