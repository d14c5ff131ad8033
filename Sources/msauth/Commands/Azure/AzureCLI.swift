import MSAuth
import MSAuthAzure
import MSAuthPreferences

/// The commands of az that SDKs and tools run.
enum AzureCLI {
  static func run(_ words: ArraySlice<String>) async throws {
    if ["--version", "-v"].contains(words.first) { return try Console.result(ToolOutput.versionText) }
    let commands = "account get-access-token, account list, account show and version"
    if ToolArguments.requestsHelp(words) { throw Rejection("it has only \(commands)") }
    try refuseSignIn(words)
    let arguments = try ToolArguments(words)
    switch arguments.words {
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
      let command = arguments.words.joined(separator: " ")
      throw Rejection("it has \(commands), but no command \(command.quoted)")
    }
  }

  /// Prints nothing, not even an empty line, for an empty output, as az does.
  private static func print(_ result: JSONValue, _ arguments: ToolArguments) throws {
    let output = try arguments.rendered(result)
    if !output.isEmpty { try Console.result(output) }
  }

  private static func account(_ arguments: ToolArguments) async throws -> JSONValue.Object {
    let session = try ToolSession()
    let (account, tenant) = try await session.account(in: arguments["tenant"])
    return ToolOutput.account(
      account.username,
      tenant: tenant ?? "",
      subscription: subscription(arguments, session),
      cloud: session.cloud.name
    )
  }

  private static func accessToken(_ arguments: ToolArguments) async throws -> JSONValue.Object {
    let session = try ToolSession()
    let scopes = try arguments.scopes(in: session.cloud, defaultType: "arm")
    let result = try await session.token(scopes, tenant: arguments["tenant"])
    return ToolOutput.accessToken(
      try result.bearerToken(),
      expiresOn: result.unixExpiry,
      tenant: result.tenantID ?? result.account.tenant,
      subscription: subscription(arguments, session)
    )
  }

  private static func subscription(_ arguments: ToolArguments, _ session: ToolSession) -> String? {
    let environment = session.settings.application.environment
    return arguments["subscription"] ?? environment["ARM_SUBSCRIPTION_ID"] ?? environment["AZURE_SUBSCRIPTION_ID"]
  }
}

extension ToolArguments {
  fileprivate static func requestsHelp(_ words: ArraySlice<String>) -> Bool {
    words.isEmpty || words.contains { ["--help", "-h"].contains($0) }
  }
}

/// Names msauth's own command for `az login`, `az logout`, `azd auth login` and `azd auth logout`.
private func refuseSignIn(_ words: ArraySlice<String>) throws(Rejection) {
  guard let name = words.first, ["login", "logout"].contains(name) else { return }
  let rest = words.dropFirst().map { $0.replacing("--claims-challenge", with: "--claims") }
  let arguments = try? ToolArguments(rest)
  let command = name == "login" ? ToolSession.login(arguments) : ToolSession.command(name)
  throw Rejection("run \(command.shellCommand) instead")
}

/// `azd auth token`, which SDKs run.
enum DeveloperCLI {
  static func run(_ words: ArraySlice<String>) async throws {
    let refusal = Rejection("it has only the command auth token")
    if ToolArguments.requestsHelp(words) { throw refusal }
    if words.first == "auth" { try refuseSignIn(words.dropFirst()) }
    let arguments = try ToolArguments(words)
    guard arguments.words == ["auth", "token"] else { throw refusal }
    try arguments.allow("output", "scope", "tenant", "claims")
    let given = arguments.all("scope")
    let session = try ToolSession()
    let scopes = given.isEmpty ? [session.cloud.managementScope] : given
    let claims = arguments["claims"]?.decodedClaims
    let result = try await session.token(scopes, tenant: arguments["tenant"], claims: claims)
    let token = try result.bearerToken()
    guard arguments["output"] == "json" else { return try Console.result(token) }
    let output = ToolOutput.developerToken(token, expiresOn: result.unixExpiry)
    try Console.result(JSONValue.object(output).serializedString())
  }
}
