import FoundationEssentials
package import MSAuth
package import MSAuthCore
import MSAuthTransport

/// An Azure Container Registry, which exchanges access tokens for passwords for Docker.
package struct ContainerRegistry: Sendable {
  package let host: String
  /// Whether the host is Azure's or this computer's; the user must confirm any other, which gets a token for Azure.
  package let isTrusted: Bool
  let exchangeURL: String

  /// The scope of tokens that only registries accept.
  package static let scope = "https://containerregistry.azure.net/.default"
  /// The username beside a registry's refresh token.
  package static let username = "00000000-0000-0000-0000-000000000000"

  /// Creates a registry from its host, or from the URL that Docker may pass; `http` only on this computer.
  package init(_ name: String) throws(Rejection) {
    let hasScheme = name.contains("://")
    let url: WebURL
    do { url = try WebURL(hasScheme ? name : "https://" + name) } catch {
      throw Rejection("the registry \(name.printable(limit: 100)) \(error.reason)")
    }
    guard url.path.isEmpty || url.path == "/", url.query == nil else {
      throw Rejection("the registry \(name.printable(limit: 100)) has a path")
    }
    host = url.hostAndWrittenPort
    let domains = ["azurecr.io", "azurecr.cn", "azurecr.us", "azurecr.de"]
    isTrusted = url.isLoopback || domains.contains { url.host.hasSuffix("." + $0) }
    exchangeURL = "\(url.isLoopback && !hasScheme ? "http" : url.scheme)://\(host)/oauth2/exchange"
  }

  /// Exchanges an access token for a refresh token of the registry, which is valid for three hours.
  package func password(
    for token: String,
    tenant: String?,
    configuration: ClientConfiguration
  ) async throws(AuthenticationError) -> String {
    var form = [("grant_type", "access_token"), ("service", host), ("access_token", token)]
    if let tenant { form.append(("tenant", tenant)) }
    let request = HTTPRequest(
      .post,
      exchangeURL,
      headers: [("Content-Type", FormEncoding.mediaType), ("Accept", "application/json")],
      body: Secret(FormEncoding.encode(form))
    )
    let response = try await Dependencies.systemTransport(for: configuration).send(request)
    let object = try? JSONValue(parsing: response.body)
    if response.status.isSuccessStatus, let password = object?["refresh_token"]?.string, !password.isEmpty {
      return password
    }
    guard response.status.isRejectionStatus else {
      let hint: Hint = "check that \(host) is an Azure Container Registry"
      throw AuthenticationError(unexpected: response, from: exchangeURL, what: "a refresh token", hint: hint)
    }
    let detail = object?["errors"]?.array?.first?["message"]?.string.map { ": \($0.printable(limit: 200))" } ?? ""
    throw AuthenticationError(
      .serverError,
      "the registry \(host) didn't accept the token (HTTP status \(response.status))\(detail)",
      reason: "registry_refused",
      hint: "check the registry's name, and that your account has a role such as AcrPull on it"
    )
  }
}
