import FlyingFox
import MSAuthCore

extension IdentityProvider {
  func me(_ request: ProviderRequest) -> HTTPResponse { graph(request, "User.Read", Self.profile) }

  func users(_ request: ProviderRequest) -> HTTPResponse {
    graph(request, "User.Read") { _ in ["value": .array(DemoUser.all.map(Self.profile))] }
  }

  private static func profile(of user: DemoUser) -> JSONValue {
    [
      "displayName": .string(user.name),
      "givenName": .string(user.givenName),
      "id": .string(user.objectID),
      "mail": .string(user.username),
      "surname": .string(user.familyName),
      "userPrincipalName": .string(user.username),
    ]
  }

  func photo(_ request: ProviderRequest) -> HTTPResponse {
    let response = graph(request, "User.Read") { _ in .null }
    guard response.statusCode.code == 200 else { return response }
    return HTTPResponse(200, headers: [.contentType: "image/jpeg"], body: Self.silhouette)
  }

  private static let silhouette =
    Base64URL.decode(
      anyAlphabet: """
        /9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABsSFBcUERsXFhceHBsgKEIrKCUlKFE6PTBCYFVlZF9VXVtqeJmBanGQc1tdhbWGkJ6jq62rZ4C8\
        ybqmx5moq6T/wAALCAAwADABAREA/8QAGgABAQADAQEAAAAAAAAAAAAAAAUCAwYEAf/EACgQAAIBAwMDAgcAAAAAAAAAAAECAAMEEQUSIRMx\
        YSKRUVJxgaHB8P/aAAgBAQAAPwDRERERErWGlI9JatwSd3IUHHHmbLrSKZQtb5Vx2UnIMixETqaFRatFHTG1gCPEzJCgknAHJJnK1mD1ndRg\
        MxIH3mMQASQAMkyxp9pfUVz1FpoedjDP4my+tr6shVayMvyAbc/31kR0ZGKupVh3BnyJW0S2Uhrhhkg7V8fEyvEnazbLUodcD1p38iQ4l/R2\
        DWCgd1JB98/ue6J579gllWJ7bSPfic1P/9k=
        """
    ) ?? []

  func drive(_ request: ProviderRequest) -> HTTPResponse {
    graph(request, "Files.Read") { user in
      let owner: JSONValue = ["id": .string(user.objectID), "displayName": .string(user.name)]
      return ["id": .string("demo-\(user.objectID)"), "driveType": "business", "owner": ["user": owner]]
    }
  }

  func messages(_ request: ProviderRequest) -> HTTPResponse {
    graph(request, "Mail.Read") { user in
      let subjects = ["Welcome, \(user.givenName)", "Your first token", "See you again"]
      let messages = subjects.enumerated().map { index, subject in
        JSONValue.object(["id": .string("\(index + 1)"), "subject": .string(subject), "isRead": false])
      }
      let first = min(request.query["$skip"].flatMap { Int($0) } ?? 0, messages.count)
      let count = max(1, request.query["$top"].flatMap { Int($0) } ?? 10)
      let end = min(first + count, messages.count)
      var page: JSONValue.Object = ["value": .array(Array(messages[first..<end]))]
      if end < messages.count {
        page["@odata.nextLink"] = .string("\(baseURL)\(request.path)?$top=\(count)&$skip=\(end)")
      }
      return .object(page)
    }
  }

  func sendMail(_ request: ProviderRequest) -> HTTPResponse {
    let response = graph(request, "Mail.Send") { _ in .null }
    guard response.statusCode.code == 200 else { return response }
    guard request.json?["message"]?.object != nil else {
      return graphError(400, "ErrorInvalidParameter", "The request has no message.")
    }
    return HTTPResponse(statusCode: .accepted)
  }

  /// Responds to a request whose token has the permission.
  private func graph(_ request: ProviderRequest, _ permission: String, _ content: (DemoUser) -> JSONValue)
    -> HTTPResponse
  {
    if let response = dpopError(request) { return response }
    guard let token = request.headerToken else {
      return graphError(401, "InvalidAuthenticationToken", "Access token is empty.")
    }
    guard let grant = grant(ofAccessToken: token) else {
      return graphError(401, "InvalidAuthenticationToken", "Lifetime validation failed, the token is expired.")
    }
    guard DemoScopes.allow(permission, grant.scopes) else {
      return graphError(403, "Authorization_RequestDenied", "Insufficient privileges to complete the operation.")
    }
    if let challenge = injector.graphChallenge, !challenge.isMet(grant, now) {
      var response = graphError(challenge.status, "InvalidAuthenticationToken", "The token isn't sufficient.")
      response.headers[.wwwAuthenticate] = challenge.field
      return response
    }
    return .json(content(grant.user))
  }

  /// The userinfo endpoint (OpenID Connect Core §5.3).
  func userinfo(_ request: ProviderRequest) -> HTTPResponse {
    if let response = dpopError(request) { return response }
    guard let token = request.headerToken, let grant = grant(ofAccessToken: token) else {
      var response = HTTPResponse.json(["error": "invalid_token"], status: 401)
      // RFC 6750 §3: a request without a token gets no error code.
      response.headers[.wwwAuthenticate] = request.headerToken == nil ? "Bearer" : "Bearer error=\"invalid_token\""
      return response
    }
    var members: JSONValue.Object = ["sub": .string(grant.subject)]
    if grant.scopes.contains("profile") {
      members["name"] = .string(grant.user.name)
      members["given_name"] = .string(grant.user.givenName)
      members["family_name"] = .string(grant.user.familyName)
      members["preferred_username"] = .string(grant.user.username)
    }
    if grant.scopes.contains("email") { members["email"] = .string(grant.user.username) }
    injector.apply(\.userinfo, to: &members)
    return .json(.object(members))
  }

  private func graphError(_ status: Int, _ code: String, _ message: String) -> HTTPResponse {
    let error: JSONValue = ["code": .string(code), "message": .string(message)]
    var response = HTTPResponse.json(["error": error], status: status)
    if status == 401 {
      response.headers[.wwwAuthenticate] =
        "Bearer realm=\"\", authorization_uri=\"\(baseURL)/common/oauth2/v2.0/authorize\", error=\"invalid_token\", "
        + "error_description=\"\(message)\""
    }
    return response
  }
}
