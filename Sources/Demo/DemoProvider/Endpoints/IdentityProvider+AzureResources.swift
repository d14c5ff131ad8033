import FlyingFox
import MSAuthCore

// Just enough of Azure to use its tokens.
extension IdentityProvider {
  /// A secret of a Key Vault; every name has one.
  func keyVaultSecret(_ request: ProviderRequest) -> HTTPResponse {
    guard isAllowed(request, "https://vault.azure.net") else {
      let error: JSONValue = ["code": "Unauthorized", "message": "The token is not valid."]
      var response = HTTPResponse.json(["error": error], status: 401)
      response.headers[.wwwAuthenticate] =
        "Bearer authorization=\"\(baseURL)/\(Tenant.contoso.id)\", resource=\"https://vault.azure.net\""
      return response
    }
    let name = request.path.split(separator: "/")[1]
    let time = JSONValue.number(JSONValue.Number(now))
    return .json([
      "value": .string("the value of \(name)"),
      "id": .string("\(baseURL)/secrets/\(name)/0123456789abcdef0123456789abcdef"),
      "attributes": ["enabled": true, "created": time, "updated": time],
    ])
  }

  /// A blob of a storage account; every name has one.
  func blob(_ request: ProviderRequest) -> HTTPResponse {
    guard isAllowed(request, "https://storage.azure.com") else {
      return HTTPResponse(
        401,
        headers: [
          .wwwAuthenticate:
            "Bearer authorization_uri=\(baseURL)/\(Tenant.contoso.id)/oauth2/authorize resource_id=https://storage.azure.com"
        ]
      )
    }
    return HTTPResponse(
      200,
      headers: [
        .contentType: "application/octet-stream", .eTag: "\"0x1\"", .lastModified: "Sun, 06 Nov 1994 08:49:37 GMT",
        HTTPHeader("x-ms-blob-type"): "BlockBlob",
      ],
      body: "the content of \(request.path.split(separator: "/")[2])\n".utf8
    )
  }

  /// A container registry's exchange of an access token for a password.
  func exchange(_ request: ProviderRequest) -> HTTPResponse {
    let grant = grant(ofAccessToken: request.form["access_token"] ?? "")
    guard request.form["grant_type"] == "access_token", request.form["service"] != nil,
      ["https://containerregistry.azure.net", "https://management.azure.com"].contains(where: {
        grant?.isFor($0) == true
      })
    else {
      let error: JSONValue = ["code": "UNAUTHORIZED", "message": "authentication required"]
      return .json(["errors": [error]], status: 401)
    }
    return .json(["refresh_token": .string("demo-acr-" + RandomString.token())])
  }

  private func isAllowed(_ request: ProviderRequest, _ resource: String) -> Bool {
    guard let token = request.bearerToken else { return false }
    return grant(ofAccessToken: token)?.isFor(resource) ?? false
  }
}

extension Grant {
  fileprivate func isFor(_ resource: String) -> Bool {
    access.scopes.compactMap(DemoScopes.azureResource).contains { $0 == resource || $0 == resource + "/" }
  }
}
