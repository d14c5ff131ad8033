import MSAuth
import MSAuthAzure

/// `azd auth token`, which SDKs run.
enum DeveloperCLI {
  static func run(_ words: ArraySlice<String>) async throws {
    let rejection = Rejection("it supports only auth token")
    if ToolArguments.requestsHelp(words) { throw rejection }
    if words.first == "auth" { try ToolClient.rejectSignIn(words.dropFirst()) }
    let arguments = try ToolArguments(words)
    guard arguments.words == ["auth", "token"] else { throw rejection }
    try arguments.allow("output", "scope", "tenant", "claims")
    let given = arguments.all("scope")
    let client = try ToolClient()
    let scopes = given.isEmpty ? [client.cloud.managementScope] : given
    let claims = arguments["claims"]?.decodedClaims
    let result = try await client.token(scopes, tenant: arguments["tenant"], claims: claims)
    let token = try result.bearerToken()
    guard arguments["output"] == "json" else { return try Console.result(token) }
    let output = ToolOutput.developerToken(token, expiresOn: result.expiresOn.unixTime)
    try Console.result(JSONValue.object(output).serializedString())
  }
}
