import MSAuthTransport

/// A sign-in request without a browser: only a known client and redirect URI get a redirect (RFC 6749 §4.1.2.1).
struct RegistrationProbe: Sendable {
  private let request: AuthorizationRequest
  private let provider: Provider
  private let response: HTTPResponse

  init(
    _ request: AuthorizationRequest,
    at provider: Provider,
    accepting mediaType: String
  ) async throws(AuthenticationError) {
    (self.request, self.provider) = (request, provider)
    let address = try await provider.authorizationURL(pushing: request)
    let page = HTTPRequest(.get, address, headers: [("Accept", mediaType)])
    response = try await provider.context.dependencies.send(page)
  }

  /// Whether the provider's error is about the client or its redirect URI.
  var isRejection: Bool {
    guard [400, 401, 404, 422].contains(response.status) else { return false }
    if let error = ProviderError(parsing: response.body) { return error.meansUnknownRegistration }
    // Supabase's errors don't have OAuth's form.
    guard (try? JSONValue.object(parsing: response.body)) != nil else { return false }
    // A 404 may quote the request's URL, which contains `client_id=`.
    return String(decoding: response.body, as: UTF8.self).replacing("client_id=", with: "").contains("client_id")
  }

  /// What the response means for a diagnosis.
  var result: CheckResult {
    guard response.status.isRedirectStatus, let location = response.header("Location") else { return pageResult }
    let uri = request.redirectURI.printable(limit: 200)
    guard let redirect = parameters(of: location) else {
      return .ok("the provider accepts the request, and requires a sign-in with \(uri)")
    }
    let accepted = "the provider knows the client ID and redirects to \(uri)"
    let expectation = request.expectation(metadata: provider.metadata)
    do throws(Rejection) {
      switch try AuthorizationResponse.validate(redirect, expecting: expectation) {
      case .code: return .ok(accepted)
      case .error(let error) where error.meansInteractionRequired: return .ok(accepted)
      case .error(let error) where error.meansUnknownClient || error.knownCode != nil:
        return .failed(AuthenticationError(error))
      // Providers may not support the prompt.
      case .error(let error): return .warning(AuthenticationError(error).message, .checkRegistration)
      case .unusable(let reason): return .failed("the redirect isn't valid: \(reason)", .reportToProvider)
      // Some providers leave `iss` out of errors.
      case .otherIssuer(nil):
        return .skipped("unknown: the redirect doesn't name the provider; the first sign-in will show whether it does")
      case .otherIssuer: return .failed("the redirect names another provider", .reportToProvider)
      }
    } catch {
      return .failed("the redirect isn't valid: \(error.reason)", .reportToProvider)
    }
  }

  private var pageResult: CheckResult {
    // Entra's error pages contain its numbers.
    let page = provider.authority.isMicrosoft ? String(decoding: response.body, as: UTF8.self) : nil
    let shown = ProviderError(error: "invalid_request", description: page)
    if let (code, entry) = shown.knownCode {
      guard code == AADSTS.applicationNotFound else {
        return .failed("\(entry.meaning) (AADSTS\(code))", entry.hint)
      }
      let tenant = provider.authority.tenant.map { "tenant \($0.printable(limit: 80))" } ?? "this tenant"
      return .failed(
        "client ID \(request.clientID.printable(limit: 80)) isn't registered in \(tenant) (AADSTS\(code))",
        "compare \(setting: "client_id", or: "the client ID") with Overview in the app registration"
      )
    }
    if let error = ProviderError(parsing: response.body) {
      let status: CheckResult.Status = error.meansUnknownRegistration ? .failed : .warning
      return CheckResult(status, AuthenticationError(error).message, .checkRegistration)
    }
    let unexpectedStatus = "the provider returned status \(response.status) for the sign-in page"
    switch response.status {
    case _ where isRejection, 400, 401:
      let uri = request.redirectURI.printable(limit: 200)
      let message = "the provider rejects the client ID or the redirect URI \(uri) (status \(response.status))"
      return .failed(message, .checkRegistration)
    // Some providers have no page for an unknown client.
    case 404: return .warning(unexpectedStatus, .checkRegistration)
    // The client isn't the cause if there is no page for sign-ins, or a filter rejects programs.
    case 402...: return .warning(unexpectedStatus, .tryAgainLater())
    default: return .skipped("unknown: the provider shows a page; the first sign-in will show whether it is an error")
    }
  }

  /// The parameters of a redirect, if it is to the redirect URI.
  private func parameters(of location: String) -> [(name: String, value: String)]? {
    guard let mark = location.utf8.firstIndex(of: UInt8(ascii: "?")),
      let to = try? WebURL(String(location[..<mark]), .request),
      let registered = try? WebURL(request.redirectURI, .request), to.matches(registered)
    else { return nil }
    let query = location.utf8[location.utf8.index(after: mark)...].prefix { $0 != UInt8(ascii: "#") }
    return FormEncoding.decode(String(decoding: query, as: UTF8.self))
  }
}
