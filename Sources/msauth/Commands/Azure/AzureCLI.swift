import MSAuth
import MSAuthAzure
import MSAuthPreferences

/// The commands of az that SDKs and tools run.
enum AzureCLI {
  static func run(_ arguments: ArraySlice<String>) async throws {
    if ["--version", "-v"].contains(arguments.first) { return try Console.result(ToolOutput.versionText) }
    let commands = "account get-access-token, account list, account show and version"
    if ToolArguments.requestsHelp(arguments) { throw Rejection("it supports only \(commands)") }
    try ToolClient.rejectSignIn(arguments)
    let arguments = try ToolArguments(arguments)
    switch arguments.positionals {
    case ["version"]:
      try arguments.allow("output", "query")
      try print(.object(ToolOutput.version), arguments)
    case ["account", "show"]:
      try arguments.allow("output", "query", "subscription", "tenant")
      try await print(.object(account(arguments)), arguments)
    case ["account", "list"]:
      try arguments.allow("output", "query")
      try await print(.array([ToolOutput.listed(account(arguments))]), arguments)
    case ["account", "get-access-token"]:
      try arguments.allow("output", "query", "subscription", "tenant", "resource", "resource-type", "scope")
      try await print(.object(accessToken(arguments)), arguments)
    default:
      let command = arguments.positionals.joined(separator: " ")
      throw Rejection("it doesn't support \(command.quoted), only \(commands)")
    }
  }

  /// Prints nothing, not even an empty line, for an empty output, as az does.
  private static func print(_ result: JSONValue, _ arguments: ToolArguments) throws {
    let output = try arguments.rendered(result)
    if !output.isEmpty { try Console.result(output) }
  }

  private static func account(_ arguments: ToolArguments) async throws -> JSONValue.Object {
    let client = try ToolClient()
    let (account, tenant) = try await client.account(in: arguments["tenant"])
    return ToolOutput.account(
      account.username,
      tenant: tenant ?? "",
      subscription: subscription(arguments, client),
      cloud: client.cloud.name
    )
  }

  private static func accessToken(_ arguments: ToolArguments) async throws -> JSONValue.Object {
    let client = try ToolClient()
    let scopes = try arguments.scopes(in: client.cloud, defaultType: "arm")
    let result = try await client.token(scopes, tenant: arguments["tenant"])
    return ToolOutput.accessToken(
      try result.bearerToken(),
      expiresOn: result.expiresOn.unixTime,
      tenant: result.tenantID ?? result.account.tenant,
      subscription: subscription(arguments, client)
    )
  }

  private static func subscription(_ arguments: ToolArguments, _ client: ToolClient) -> String? {
    let environment = client.settings.application.environment
    return arguments["subscription"] ?? environment["ARM_SUBSCRIPTION_ID"] ?? environment["AZURE_SUBSCRIPTION_ID"]
  }
}
