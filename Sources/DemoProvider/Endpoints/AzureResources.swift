import FlyingFox
import Foundation
import MSAuthCore

// Just enough of Azure to use its tokens.
extension Endpoints {
  /// A secret of a Key Vault; every name has one.
  func keyVaultSecret(_ request: Request) async -> HTTPResponse {
    guard await isAllowed(request, "https://vault.azure.net") else {
      var response = HTTPResponse.json(
        ["error": ["code": "Unauthorized", "message": "The token is not valid."]],
        status: 401
      )
      response.headers[HTTPHeader("WWW-Authenticate")] =
        "Bearer authorization=\"\(baseURL)/\(Tenant.contoso.id)\", resource=\"https://vault.azure.net\""
      return response
    }
    let name = request.path.split(separator: "/")[1]
    let now = await state.now
    return .json([
      "value": .string("the value of \(name)"),
      "id": .string("\(baseURL)/secrets/\(name)/0123456789abcdef0123456789abcdef"),
      "attributes": [
        "enabled": true, "created": .number(JSONValue.Number(now)), "updated": .number(JSONValue.Number(now)),
      ],
    ])
  }

  /// A blob of a storage account; every name has one.
  func blob(_ request: Request) async -> HTTPResponse {
    guard await isAllowed(request, "https://storage.azure.com") else {
      return HTTPResponse(
        statusCode: HTTPStatusCode(401, phrase: "Server failed to authenticate the request."),
        headers: [
          HTTPHeader("WWW-Authenticate"):
            "Bearer authorization_uri=\(baseURL)/\(Tenant.contoso.id)/oauth2/authorize resource_id=https://storage.azure.com"
        ]
      )
    }
    return HTTPResponse(
      statusCode: .ok,
      headers: [
        .contentType: "application/octet-stream",
        HTTPHeader("ETag"): "\"0x1\"",
        HTTPHeader("Last-Modified"): "Sun, 06 Nov 1994 08:49:37 GMT",
        HTTPHeader("x-ms-blob-type"): "BlockBlob",
      ],
      body: Data("the content of \(request.path.split(separator: "/")[2])\n".utf8)
    )
  }

  /// A container registry's exchange of an access token for a password.
  func exchange(_ request: Request) async -> HTTPResponse {
    let grant = await state.grant(ofAccessToken: request.form["access_token"] ?? "")
    guard request.form["grant_type"] == "access_token", request.form["service"] != nil,
      grant?.isFor("https://management.azure.com") == true
    else {
      let error: JSONValue = ["code": "UNAUTHORIZED", "message": "authentication required"]
      return .json(["errors": [error]], status: 401)
    }
    return .json(["refresh_token": .string("demo-acr-" + RandomString.token())])
  }

  private func isAllowed(_ request: Request, _ resource: String) async -> Bool {
    guard let token = request.bearer else { return false }
    return await state.grant(ofAccessToken: token)?.isFor(resource) ?? false
  }
}

extension Grant {
  fileprivate func isFor(_ resource: String) -> Bool {
    scopes.compactMap(DemoScopes.azureResource).contains { $0 == resource || $0 == resource + "/" }
  }
}
