package import MSAuthCore

/// The parameters of a token request to the broker, as Microsoft's own client sends them.
package struct BrokerRequest: Sendable {
  /// The broker's redirect URI, which the application's registration must have.
  static let redirectURI = "https://login.microsoftonline.com/common/oauth2/nativeclient"

  let clientID: String
  var authority: String
  let scopes: [String]
  /// The broker's own account, unchanged; `nil` lets the user choose.
  package var account: BrokerAccount?
  package var username: String?
  package var claims: String?
  package var extraQuery: [String: String] = [:]
  package var prompt: String?
  /// The access token that the broker has just returned, and must replace.
  package var accessTokenToRenew: Secret?

  package init(clientID: String, authority: String, scopes: [String]) {
    (self.clientID, self.authority, self.scopes) = (clientID, authority, scopes)
  }

  package func silent() -> JSONValue { ["authParameters": .object(parameters(type: 1))] }

  package func interactive() -> JSONValue {
    var members = parameters(type: 6)
    members["parentWindow"] = ["handle": 0]
    members["prompt"] = prompt.map { .string($0) }
    return ["authParameters": .object(members), "parentWindowHandle": 0]
  }

  /// `authorizationType`: 1 uses the broker's session, 6 shows its window.
  private func parameters(type: Int) -> JSONValue.Object {
    [
      "accessTokenToRenew": .string(accessTokenToRenew?.revealed ?? ""),
      "account": account.map { .object($0.members) } ?? .null,
      "additionalQueryParametersForAuthorization":
        .object(JSONValue.Object(extraQuery.map { ($0.key, .string($0.value)) })),
      "authority": .string(authority), "authorizationType": .number(JSONValue.Number(type)),
      "clientId": .string(clientID), "decodedClaims": .string(claims ?? ""), "enrollmentId": "", "isTestMode": false,
      "password": "", "popParams": .null, "redirectUri": .string(Self.redirectURI),
      "requestedScopes": .array(scopes.map { .string($0) }),
      "username": .string(account?.username ?? username ?? ""), "uxContextHandle": -1,
    ]
  }

  package static func accounts(clientID: String) -> JSONValue {
    ["clientId": .string(clientID), "redirectUri": .string(clientID)]
  }

  /// Removes the account from the device.
  package static func removal(of account: BrokerAccount, clientID: String) -> JSONValue {
    ["clientId": .string(clientID), "account": .object(account.members)]
  }

  package static func version(of client: String) -> JSONValue { ["msalCppVersion": .string(client)] }
}
