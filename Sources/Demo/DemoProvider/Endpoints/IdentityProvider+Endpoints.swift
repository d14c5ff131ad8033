import FlyingFox
import Foundation
import MSAuthCore

extension IdentityProvider {
  nonisolated var routes: RoutedHTTPHandler {
    var routes = RoutedHTTPHandler()
    func on(
      _ route: String,
      _ respond: @escaping @Sendable (ProviderRequest, ProviderKind) async throws -> HTTPResponse
    ) {
      routes.appendRoute(HTTPRoute(route)) { try await self.respond(to: $0, respond) }
    }

    on("GET /") { _, _ in self.welcome }
    on("POST /oidc/par") { try await self.push($0, at: $1) }
    on("POST /oidc/device") { try await self.startDevice($0, at: $1) }
    on("POST /oidc/revoke") { request, _ in try await self.revoke(request) }
    on("GET,POST /oidc/userinfo") { request, _ in await self.userinfo(request) }
    on("GET,POST /adfs/userinfo") { request, _ in await self.userinfo(request) }
    for version in ["v1.0", "beta"] {
      on("GET /\(version)/me") { request, _ in await self.me(request) }
      on("GET /\(version)/me/photo/$value") { request, _ in await self.photo(request) }
      on("GET /\(version)/me/drive") { request, _ in await self.drive(request) }
      on("GET /\(version)/me/messages") { request, _ in await self.messages(request) }
      on("POST /\(version)/me/sendMail") { request, _ in await self.sendMail(request) }
      on("GET /\(version)/users") { request, _ in await self.users(request) }
    }

    on("GET /secrets/:name") { request, _ in await self.keyVaultSecret(request) }
    on("GET /secrets/:name/:version") { request, _ in await self.keyVaultSecret(request) }
    on("GET /devstoreaccount1/:container/:blob") { request, _ in await self.blob(request) }
    on("POST /oauth2/exchange") { request, _ in await self.exchange(request) }

    on("POST /signin/account") { request, _ in await self.chooseAccount(request) }
    on("POST /signin/consent") { request, _ in await self.answerConsent(request) }
    on("POST /signin/signout") { request, _ in await self.confirmSignOut(request) }
    on("GET,POST /devicelogin") { request, _ in await self.deviceLogin(request) }

    for (metadata, keys, endpoints) in [
      ("/oidc", "/oidc", "/oidc"), ("/adfs", "/adfs/discovery", "/adfs/oauth2"),
      ("/tfp/:tenant/:policy/v2.0", "/tfp/:tenant/:policy/discovery/v2.0", "/tfp/:tenant/:policy/oauth2/v2.0"),
      ("/:tenant/v2.0", "/:tenant/discovery/v2.0", "/:tenant/oauth2/v2.0"),
    ] {
      on("GET \(metadata)/.well-known/openid-configuration") { await self.metadata($1) }
      on("GET \(keys)/keys") { _, _ in try await self.publishedKeys() }
      on("GET,POST \(endpoints)/authorize") { try await self.authorize($0, at: $1) }
      on("POST \(endpoints)/token") { try await self.token($0, at: $1) }
      on("GET,POST \(endpoints)/logout") { await self.signOut($0, at: $1) }
    }
    on("POST /:tenant/oauth2/v2.0/par") { try await self.push($0, at: $1) }
    on("POST /:tenant/oauth2/v2.0/devicecode") { try await self.startDevice($0, at: $1) }
    on("*") { _, _ in .page("Page not found", "", status: 404) }
    return routes
  }

  /// Handles a request, records it, and turns an error into a response.
  private func respond(
    to httpRequest: HTTPRequest,
    _ respond: @Sendable (ProviderRequest, ProviderKind) async throws -> HTTPResponse
  ) async throws -> HTTPResponse {
    let request = try await ProviderRequest(httpRequest)
    let kind = ProviderKind(httpRequest)
    var response: HTTPResponse
    do {
      guard let kind else { throw ProtocolError.unknownTenant }
      response = try await respond(request, kind)
    } catch let error as ProtocolError {
      let body = error.body(for: kind ?? .entra(.common), correlation: request.correlationID, now: now)
      response = .json(body, status: error.status)
    }
    if let nonce = nextNonce(for: request) { response.headers[HTTPHeader("DPoP-Nonce")] = nonce }
    response.headers[.date] = Self.date(now)
    let recorded = request.recorded(status: response.statusCode.code)
    if options.records { requests.append(recorded) }
    options.onRequest(recorded)
    return response
  }

  /// Formats a time for the `Date` field (RFC 9110 §5.6.7).
  private static func date(_ time: UnixTime) -> String {
    var (time, fields) = (time_t(time), tm())
    gmtime_r(&time, &fields)
    var text = [CChar](repeating: 0, count: 40)
    strftime(&text, text.count, "%a, %d %b %Y %H:%M:%S GMT", &fields)
    return String(cString: &text)
  }

  private nonisolated var welcome: HTTPResponse {
    .page(
      "It works",
      """
      <p>This server behaves like four providers, each an authority for msauth:</p>
      <ul>
        <li>Microsoft Entra ID: <code>\(baseURL)/common</code></li>
        <li>Azure AD B2C: <code>\(baseURL)/tfp/contoso.onmicrosoft.com/b2c_1_signin</code></li>
        <li>AD FS: <code>\(baseURL)/adfs</code></li>
        <li>OpenID Connect: <code>\(baseURL)/oidc</code></li>
      </ul>
      <p>Of Microsoft Graph, it has <code>me</code>, <code>me/photo/$value</code>, <code>me/drive</code>,
      <code>me/messages</code>, <code>me/sendMail</code> and <code>users</code>, and the scopes
      \(DemoScopes.graph.map(\.name).joined(separator: ", ")).</p>
      """
    )
  }
}
