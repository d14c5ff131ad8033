import FlyingFox
import Foundation
import Core

/// The provider's endpoints; each has a file of its own.
struct Endpoints: Sendable {
  let state: ProviderState
  /// The provider's own address, without a slash at the end.
  let baseURL: String

  /// Which path leads where.
  var routes: RoutedHTTPHandler {
    var routes = RoutedHTTPHandler()
    func on(_ route: HTTPRoute, _ handler: @escaping @Sendable (Call) async throws -> HTTPResponse) {
      routes.appendRoute(route) { try await handler(Call($0)) }
    }
    func onTenant(_ route: HTTPRoute, _ handler: @escaping @Sendable (Call, Flavour) async throws -> HTTPResponse) {
      routes.appendRoute(route) { request in
        guard let audience = request.routeParameters["tenant"].flatMap({ Audience($0) }) else {
          return try await refuse(.unknownTenant, Call(request), at: .entra(.common))
        }
        return try await handler(Call(request), .entra(audience))
      }
    }

    func onPolicy(_ route: HTTPRoute, _ handler: @escaping @Sendable (Call, Flavour) async throws -> HTTPResponse) {
      routes.appendRoute(route) { request in
        guard let tenant = request.routeParameters["tenant"].flatMap({ Tenant.named($0) }),
          let policy = request.routeParameters["policy"], policy.lowercased().hasPrefix("b2c_1_")
        else { return try await refuse(.unknownTenant, Call(request), at: .entra(.common)) }
        return try await handler(Call(request), .b2c(tenant, policy: policy.lowercased()))
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

    on("POST /signin/account") { try await chooseAccount($0) }
    on("POST /signin/consent") { try await answerConsent($0) }
    on("POST /signin/signout") { await confirmSignOut($0) }
    on("GET,POST /devicelogin") { await deviceLogin($0) }

    onPolicy("GET /tfp/:tenant/:policy/v2.0/.well-known/openid-configuration") { _, flavour in await metadata(flavour) }
    onPolicy("GET /tfp/:tenant/:policy/discovery/v2.0/keys") { _, _ in await keys() }
    onPolicy("GET,POST /tfp/:tenant/:policy/oauth2/v2.0/authorize") { try await authorize($0, at: $1) }
    onPolicy("POST /tfp/:tenant/:policy/oauth2/v2.0/token") { await token($0, at: $1) }
    onPolicy("GET,POST /tfp/:tenant/:policy/oauth2/v2.0/logout") { await signOut($0, at: $1) }

    onTenant("GET /:tenant/v2.0/.well-known/openid-configuration") { _, flavour in await metadata(flavour) }
    onTenant("GET /:tenant/discovery/v2.0/keys") { _, _ in await keys() }
    onTenant("GET,POST /:tenant/oauth2/v2.0/authorize") { try await authorize($0, at: $1) }
    onTenant("POST /:tenant/oauth2/v2.0/token") { await token($0, at: $1) }
    onTenant("POST /:tenant/oauth2/v2.0/par") { await push($0, at: $1) }
    onTenant("POST /:tenant/oauth2/v2.0/devicecode") { await startDevice($0, at: $1) }
    onTenant("GET,POST /:tenant/oauth2/v2.0/logout") { await signOut($0, at: $1) }
    return routes
  }

  /// The JSON body of an error.
  func refuse(_ error: ProtocolError, _ call: Call, at flavour: Flavour) async -> HTTPResponse {
    let now = await state.now
    return .json(error.body(for: flavour, correlation: call.correlationID, now: now), status: error.status)
  }
}

extension ProtocolError {
  static let unknownTenant = ProtocolError("invalid_tenant", "The tenant is not known here.", aadsts: 90002)
}

/// Answers through the routes, and keeps a record of what was asked.
struct Recorder: HTTPHandler {
  let state: ProviderState
  let routes: RoutedHTTPHandler

  func handleRequest(_ request: HTTPRequest) async throws -> HTTPResponse {
    let response: HTTPResponse
    do {
      response = try await routes.handleRequest(request)
    } catch is HTTPUnhandledError {
      response = .page(PageFrame.render(title: "Nothing is here", body: ""), status: 404)
    }
    try await state.record(Call(request).recorded(status: response.statusCode.code))
    return response
  }
}
