import MSAuth
import MSAuthAzure

/// `azd auth token`, which SDKs run.
enum DeveloperCLI {
  static func run(_ arguments: ArraySlice<String>) async throws {
    let rejection = Rejection("it supports only auth token")
    if ToolArguments.requestsHelp(arguments) { throw rejection }
    if arguments.first == "auth" { try ToolClient.rejectSignIn(arguments.dropFirst()) }
    let arguments = try ToolArguments(arguments)
    guard arguments.positionals == ["auth", "token"] else { throw rejection }
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
