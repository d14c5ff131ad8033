import FlyingFox
import Foundation
import MSAuthCore

struct Endpoints: Sendable {
  let state: ProviderState
  /// Without a trailing slash.
  let baseURL: String

  var routes: RoutedHTTPHandler {
    var routes = RoutedHTTPHandler()
    func on(_ route: HTTPRoute, _ handler: @escaping @Sendable (Request) async throws -> HTTPResponse) {
      routes.appendRoute(route) { try await handler(Request($0)) }
    }
    func onTenant(
      _ route: HTTPRoute,
      _ handler: @escaping @Sendable (Request, ProviderKind) async throws -> HTTPResponse
    ) {
      routes.appendRoute(route) { request in
        guard let audience = request.routeParameters["tenant"].flatMap({ Audience($0) }) else {
          return try await refuse(.unknownTenant, Request(request), at: .entra(.common))
        }
        return try await handler(Request(request), .entra(audience))
      }
    }

    func onPolicy(
      _ route: HTTPRoute,
      _ handler: @escaping @Sendable (Request, ProviderKind) async throws -> HTTPResponse
    ) {
      routes.appendRoute(route) { request in
        guard let tenant = request.routeParameters["tenant"].flatMap({ Tenant.named($0) }),
          let policy = request.routeParameters["policy"], policy.lowercased().hasPrefix("b2c_1_")
        else { return try await refuse(.unknownTenant, Request(request), at: .entra(.common)) }
        return try await handler(Request(request), .b2c(tenant, policy: policy.lowercased()))
      }
    }

    on("GET /") { _ in welcome() }
    on("GET /oidc/.well-known/openid-configuration") { _ in await metadata(.oidc) }
    on("GET /oidc/keys") { _ in await keys() }
    on("GET,POST /oidc/authorize") { try await authorize($0, at: .oidc) }
    on("POST /oidc/token") { await withNonce(token($0, at: .oidc), $0) }
    on("POST /oidc/par") { await withNonce(push($0, at: .oidc), $0) }
    on("POST /oidc/device") { await startDevice($0, at: .oidc) }
    on("POST /oidc/revoke") { await revoke($0) }
    on("GET,POST /oidc/userinfo") { await withNonce(userinfo($0), $0) }
    on("GET,POST /oidc/logout") { await signOut($0, at: .oidc) }
    on("GET /adfs/.well-known/openid-configuration") { _ in await metadata(.adfs) }
    on("GET /adfs/discovery/keys") { _ in await keys() }
    on("GET,POST /adfs/oauth2/authorize") { try await authorize($0, at: .adfs) }
    on("POST /adfs/oauth2/token") { await token($0, at: .adfs) }
    on("GET,POST /adfs/oauth2/logout") { await signOut($0, at: .adfs) }
    on("GET,POST /adfs/userinfo") { await userinfo($0) }
    on("GET /v1.0/me") { await withNonce(me($0), $0) }

    on("GET /secrets/:name") { await keyVaultSecret($0) }
    on("GET /secrets/:name/:version") { await keyVaultSecret($0) }
    on("GET /devstoreaccount1/:container/:blob") { await blob($0) }
    on("POST /oauth2/exchange") { await exchange($0) }

    on("POST /signin/account") { try await chooseAccount($0) }
    on("POST /signin/consent") { try await answerConsent($0) }
    on("POST /signin/signout") { await confirmSignOut($0) }
    on("GET,POST /devicelogin") { await deviceLogin($0) }

    onPolicy("GET /tfp/:tenant/:policy/v2.0/.well-known/openid-configuration") { _, kind in await metadata(kind) }
    onPolicy("GET /tfp/:tenant/:policy/discovery/v2.0/keys") { _, _ in await keys() }
    onPolicy("GET,POST /tfp/:tenant/:policy/oauth2/v2.0/authorize") { try await authorize($0, at: $1) }
    onPolicy("POST /tfp/:tenant/:policy/oauth2/v2.0/token") { await token($0, at: $1) }
    onPolicy("GET,POST /tfp/:tenant/:policy/oauth2/v2.0/logout") { await signOut($0, at: $1) }

    onTenant("GET /:tenant/v2.0/.well-known/openid-configuration") { _, kind in await metadata(kind) }
    onTenant("GET /:tenant/discovery/v2.0/keys") { _, _ in await keys() }
    onTenant("GET,POST /:tenant/oauth2/v2.0/authorize") { try await authorize($0, at: $1) }
    onTenant("POST /:tenant/oauth2/v2.0/token") { await token($0, at: $1) }
    onTenant("POST /:tenant/oauth2/v2.0/par") { await push($0, at: $1) }
    onTenant("POST /:tenant/oauth2/v2.0/devicecode") { await startDevice($0, at: $1) }
    onTenant("GET,POST /:tenant/oauth2/v2.0/logout") { await signOut($0, at: $1) }
    return routes
  }

  func refuse(_ error: ProtocolError, _ request: Request, at kind: ProviderKind) async -> HTTPResponse {
    let now = await state.now
    return .json(error.body(for: kind, correlation: request.correlationID, now: now), status: error.status)
  }
}

extension ProtocolError {
  static let unknownTenant = ProtocolError("invalid_tenant", "The tenant is not known here.", aadsts: 90002)
}

struct Recorder: HTTPHandler {
  let state: ProviderState
  let routes: RoutedHTTPHandler

  func handleRequest(_ request: HTTPRequest) async throws -> HTTPResponse {
    var response: HTTPResponse
    do {
      response = try await routes.handleRequest(request)
    } catch is HTTPUnhandledError {
      response = .page(PageFrame.render(title: "Page not found", body: ""), status: 404)
    }
    let request = try await Request(request).recorded(status: response.statusCode.code)
    await state.record(request)
    state.options.onRequest(request)
    response.headers[HTTPHeader("Date")] = Self.date(state.options.clock.now())
    return response
  }

  /// Formats a time for the `Date` field (RFC 9110 §5.6.7).
  private static func date(_ time: UnixTime) -> String {
    var seconds = time_t(time)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    var buffer = [CChar](repeating: 0, count: 40)
    let count = strftime(&buffer, buffer.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
    return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

extension Endpoints {
  func welcome() -> HTTPResponse {
    .page(
      PageFrame.render(
        title: "It works",
        body: """
          <p>This server behaves like four providers, each an authority for msauth:</p>
          <ul>
            <li>Microsoft Entra ID: <code>\(baseURL)/common</code></li>
            <li>Azure AD B2C: <code>\(baseURL)/tfp/contoso.onmicrosoft.com/b2c_1_signin</code></li>
            <li>AD FS: <code>\(baseURL)/adfs</code></li>
            <li>OpenID Connect: <code>\(baseURL)/oidc</code></li>
          </ul>
          """
      )
    )
  }
}
