import MSAuth
import MSAuthCore
import Testing

@testable import MSAuthAzure
@testable import MSAuthLoopback

@Suite("the managed-identity endpoint")
struct EndpointTests {
  fileprivate static let secret = String(repeating: "s", count: 43)
  private let endpoint = AzureEndpoint(secret: Secret(secret), clientID: "the client", resources: nil, servesIMDS: true)

  private static let appService = "/msi/token?api-version=2019-08-01&resource=https://vault.azure.net"
  fileprivate static let secretHeader = ["x-identity-header": secret]
  private static let metadata = ["metadata": "true"]

  private func request(
    _ target: String,
    _ headers: [String: String] = secretHeader,
    method: String = "GET",
    body: String = ""
  ) -> LoopbackRequest {
    let parts = target.split(separator: "?", maxSplits: 1).map(String.init)
    return LoopbackRequest(
      method: method,
      path: parts[0],
      query: parts.count == 2 ? parts[1] : nil,
      headers: headers.map { (name: $0.key, value: $0.value) },
      host: "127.0.0.1:1",
      body: Array(body.utf8)
    )
  }

  private func token(_ decision: AzureEndpoint.Decision) -> AzureEndpoint.TokenRequest? {
    if case .token(let request) = decision { request } else { nil }
  }

  private func resource(_ decision: AzureEndpoint.Decision) -> String? { token(decision)?.resource }

  private func rejection(_ decision: AzureEndpoint.Decision) -> LoopbackResponse? {
    if case .response(let response) = decision { response } else { nil }
  }

  @Test(
    "a resource has one scope in every SDK's spelling",
    arguments: [
      ("https://vault.azure.net", "https://vault.azure.net/.default"),
      ("https%3A%2F%2Fvault.azure.net", "https://vault.azure.net/.default"),
      ("https://management.azure.com/", "https://management.azure.com//.default"),
      ("https://vault.azure.net/.default", "https://vault.azure.net/.default"),
      ("https://vault.azure.net/.Default", "https://vault.azure.net/.default"),
      ("2ff814a6-3304-4ab8-85cb-cd0e6f879c1d", "2ff814a6-3304-4ab8-85cb-cd0e6f879c1d/.default"),
    ]
  )
  func scope(_ resource: String, _ scope: String) {
    let target = "/msi/token?resource=\(resource)&api-version=2019-08-01&client_id=x&mi_res_id=y&object_id=z"
    #expect(token(endpoint.decide(request(target)))?.scope == scope)
  }

  @Test("both versions are served, with the digest of a rejected token")
  func rejected() {
    let target = "/msi/token?api-version=2025-03-30&resource=urn:r&xms_cc=cp1&token_sha256_to_refresh=ab"
    let request = token(endpoint.decide(request(target)))
    #expect(request?.resource == "urn:r" && request?.rejectedDigest == "ab")
  }

  @Test("the variables' addresses are served")
  func variables() throws {
    let variables = endpoint.variables(at: "http://127.0.0.1:1")
    let names = ["IDENTITY_ENDPOINT", "IDENTITY_HEADER", "MSI_ENDPOINT", "AZURE_POD_IDENTITY_AUTHORITY_HOST"]
    #expect(variables.map(\.name) == names)
    let values = variables.map { String($0.value.dropFirst("http://127.0.0.1:1".utf8.count)) }
    #expect(resource(endpoint.decide(request(values[0] + "?api-version=2019-08-01&resource=urn:r"))) == "urn:r")
    let cloudShell = request(values[2], Self.metadata, method: "POST", body: "resource=urn:r")
    #expect(resource(endpoint.decide(cloudShell)) == "urn:r")
    let imds = "/metadata/identity/oauth2/token?api-version=2018-02-01&resource=urn:r"
    #expect(resource(endpoint.decide(request(values[3] + imds, Self.metadata))) == "urn:r")
    var closed = endpoint
    closed.servesIMDS = false
    #expect(rejection(closed.decide(request(values[3] + imds, Self.metadata)))?.status == 401)
    #expect(closed.variables(at: "").count == 3)
  }

  private static let unauthorized: [(target: String, headers: [String: String])] = [
    (appService, [:]), (appService, ["x-identity-header": ""]),
    (appService, ["x-identity-header": String(secret.dropLast())]),
    (appService, ["x-identity-header": secret + "s"]),
    (appService, ["x-identity-header": String(secret.dropLast()) + "S"]),
    ("/", secretHeader), ("/msi", secretHeader), ("/other", secretHeader), ("/MSI/token?resource=urn:r", secretHeader),
    ("/x/msi", metadata),
    ("//msi", metadata), ("/metadata/identity/oauth2/token?resource=urn:r", metadata),
  ]

  @Test("a request without the secret gets 401 and a reason", arguments: unauthorized)
  func noSecret(_ target: String, _ headers: [String: String]) throws {
    for method in ["GET", "POST", "HEAD"] {
      let response = try #require(rejection(endpoint.decide(request(target, headers, method: method))))
      let object = try JSONValue(parsing: response.body)
      #expect(response.status == 401 && object["statusCode"] == 401)
      #expect(object["message"] == "X-IDENTITY-HEADER, or the secret in the path, is missing or wrong")
      #expect(response.headers.contains { $0 == ("Cache-Control", "no-store") })
    }
  }

  @Test(
    "a browser's request is rejected, even with the secret",
    arguments: ["origin", "sec-fetch-site", "sec-fetch-mode"]
  )
  func browser(_ field: String) throws {
    let headers = Self.secretHeader.merging([field: "null"]) { $1 }
    let response = try #require(rejection(endpoint.decide(request(Self.appService, headers))))
    #expect(response.status == 403 && response.body.isEmpty)
  }

  struct Invalid: Sendable {
    var method = "GET"
    var target: String
    var headers = EndpointTests.secretHeader
    var body = ""
    var status = 400
  }

  private static let version = "/msi/token?api-version=2019-08-01"
  private static let invalid = [
    Invalid(target: "/msi/token?resource=urn:r"), Invalid(target: "/msi/token?api-version=2017-09-01&resource=urn:r"),
    Invalid(target: version), Invalid(target: "/msi/token"), Invalid(target: version + "&resource="),
    Invalid(target: version + "&resource=vault"),
    Invalid(target: version + "&resource=urn:a&resource=urn:b"), Invalid(target: version + "&resource=urn:a%20b"),
    Invalid(target: version + "&resource=urn:%FF"),
    Invalid(target: version + "&resource=urn:" + String(repeating: "a", count: 1021)),
    Invalid(method: "POST", target: appService, body: "resource=urn:r", status: 405),
    Invalid(method: "HEAD", target: appService, status: 405),
    Invalid(method: "POST", target: "/\(secret)/msi", headers: [:], body: "resource=urn:r"),
    Invalid(method: "POST", target: "/\(secret)/msi", headers: ["metadata": "no"], body: "resource=urn:r"),
    Invalid(target: "/\(secret)/msi?resource=urn:r", headers: metadata, status: 405),
    Invalid(method: "POST", target: "/\(secret)/msi", headers: metadata),
    Invalid(target: "/\(secret)/metadata/identity/oauth2/token?resource=urn:r", headers: [:]),
  ]

  @Test("an invalid request gets 400 or 405 in the contract's format", arguments: invalid)
  func rejected(_ invalid: Invalid) throws {
    let (target, status) = (invalid.target, invalid.status)
    let made = request(target, invalid.headers, method: invalid.method, body: invalid.body)
    let response = try #require(rejection(endpoint.decide(made)))
    #expect(response.status == status)
    let object = try JSONValue(parsing: response.body)
    if target.hasPrefix("/msi") {
      #expect(object["statusCode"]?.integer == Int64(status) && object["message"]?.string?.isEmpty == false)
    } else if target.contains("metadata") {
      #expect(object["error"]?.string == "invalid_request" && object["error_description"]?.string?.isEmpty == false)
    } else {
      #expect(object["error"]?["code"]?.string == "invalid_request" && object["error"]?["message"]?.string != nil)
    }
  }

  @Test("unlisted resources get 403; a trailing slash doesn't matter")
  func listed() throws {
    var endpoint = endpoint
    endpoint.resources = ["https://vault.azure.net", "https://storage.azure.com/"]
    func decide(_ resource: String) -> AzureEndpoint.Decision {
      endpoint.decide(request("/msi/token?api-version=2019-08-01&resource=\(resource)"))
    }
    for resource in ["https://vault.azure.net", "https://vault.azure.net/", "https://storage.azure.com"] {
      #expect(self.resource(decide(resource)) == resource)
    }
    for resource in [
      "https://vault.azure.net.evil.example", "https://vault.azure.ne", "https://VAULT.azure.net", "urn:x", "urn:/",
    ] {
      #expect(rejection(decide(resource))?.status == 403)
    }
  }

  @Test("a token response has exactly the contract's members")
  func response() throws {
    func members(_ contract: AzureEndpoint.Contract) throws -> JSONValue {
      let request = AzureEndpoint.TokenRequest(contract: contract, resource: "r")
      let response = endpoint.response("the token", expiresOn: 1_600, to: request, now: 1_000)
      #expect(response.status == 200 && response.headers.contains { $0 == ("Content-Type", "application/json") })
      #expect(response.headers.contains { $0 == ("Cache-Control", "no-store") })
      return try JSONValue(parsing: response.body)
    }
    let appService: JSONValue = [
      "access_token": "the token", "client_id": "the client", "expires_on": "1600", "resource": "r",
      "token_type": "Bearer",
    ]
    #expect(try members(.appService) == appService)
    let cloudShell: JSONValue = [
      "access_token": "the token", "expires_in": "600", "expires_on": "1600", "not_before": "1000", "resource": "r",
      "token_type": "Bearer",
    ]
    #expect(try members(.cloudShell) == cloudShell)
    let imds: JSONValue = [
      "access_token": "the token", "client_id": "the client", "expires_in": "600", "expires_on": "1600",
      "ext_expires_in": "600", "not_before": "1000", "resource": "r", "token_type": "Bearer",
    ]
    #expect(try members(.imds) == imds)
  }

  @Test("only transient failures have a status that SDKs retry")
  func errors() {
    func status(_ code: AuthenticationError.Code, isThrottled: Bool = false) -> Int {
      var error = AuthenticationError(code, "a message")
      error.isThrottled = isThrottled
      return EndpointError(error, message: "").status
    }
    #expect(status(.providerUnreachable) == 503 && status(.providerUnreachable, isThrottled: true) == 429)
    for code in AuthenticationError.Code.allCases where code != .providerUnreachable { #expect(status(code) == 400) }
  }
}
