import ArgumentParser
import FoundationEssentials
import Glibc
import MSAuth
import MSAuthAzure
import MSAuthPreferences
import MSAuthUnix

/// The programs that msauth acts as when it is started under another name.
enum ToolAlias: String {
  case az, azd, keyring
  case dockerCredential = "docker-credential-msauth"

  /// What `msauth exec --azure` puts on its command's path.
  static let tools = [az, azd, keyring].map(\.rawValue)

  static let current = ProcessArguments.all.first.flatMap { path in
    ToolAlias(rawValue: path.split(separator: "/").last.map(String.init) ?? path)
  }

  func run() async throws {
    let arguments = ProcessArguments.all.dropFirst()
    switch self {
    case .az: try await run("ERROR: ", signIn: "Please run 'az login' to setup account.", AzureCLI.run)
    case .azd: try await run("ERROR: ", signIn: "not logged in, run `azd auth login` to login", DeveloperCLI.run)
    case .keyring: try await run("keyring: ", signIn: "not signed in", KeyringCLI.run)
    case .dockerCredential: try await DockerCredential.parse(Array(arguments)).run()
    }

    /// Runs a tool's command, and reports errors in the form that its callers expect.
    func run(_ prefix: String, signIn: String, _ command: (ArraySlice<String>) async throws -> Void) async throws {
      let (message, error): (String, AuthenticationError)
      do {
        return try await command(arguments)
      } catch let refusal as Refusal {
        (message, error) = ("this \(rawValue) is a stand-in from msauth: \(refusal.reason)", .usage(refusal.reason))
      } catch let failure as AuthenticationError {
        (message, error) = (failure.toolMessage(signIn, arguments), failure)
      }
      Console.write(prefix + message + "\n")
      throw CommandFailure(error, status: .failed)
    }
  }
}

/// The commands of az that SDKs and tools run.
private enum AzureCLI {
  static func run(_ words: ArraySlice<String>) async throws {
    if ["--version", "-v"].contains(words.first) { return try Console.result(ToolOutput.versionText) }
    let commands = "account get-access-token, account list, account show and version"
    if ToolArguments.requestsHelp(words) { throw Refusal("it has only \(commands)") }
    try refuseSignIn(words)
    let arguments = try ToolArguments(words)
    switch arguments.words {
    case ["version"]:
      try arguments.allow("output", "query")
      try Console.result(arguments.rendered(.object(ToolOutput.version)))
    case ["account", "show"], ["account", "list"]:
      let isList = arguments.words[1] == "list"
      if isList { try arguments.allow("output", "query") }
      try arguments.allow("output", "query", "subscription", "tenant")
      let session = try ToolSession()
      let (account, tenant) = try await session.account(in: arguments["tenant"])
      let subscription = subscription(arguments, session)
      let output = ToolOutput.account(
        account.username,
        tenant: tenant ?? "",
        subscription: subscription,
        cloud: session.cloud.name
      )
      try Console.result(arguments.rendered(isList ? .array([ToolOutput.listed(output)]) : .object(output)))
    case ["account", "get-access-token"]:
      try arguments.allow("output", "query", "subscription", "tenant", "resource", "resource-type", "scope")
      let session = try ToolSession()
      let scopes = try arguments.scopes(in: session.cloud, defaultType: "arm")
      let result = try await session.token(scopes, tenant: arguments["tenant"])
      let output = ToolOutput.accessToken(
        try result.bearerToken(),
        expiresOn: result.unixExpiry,
        tenant: result.tenantID ?? result.account.tenant,
        subscription: subscription(arguments, session)
      )
      try Console.result(arguments.rendered(.object(output)))
    default:
      let command = arguments.words.joined(separator: " ")
      throw Refusal("it has \(commands), but no command \(command.quoted)")
    }
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
private func refuseSignIn(_ words: ArraySlice<String>) throws(Refusal) {
  guard let name = words.first, ["login", "logout"].contains(name) else { return }
  let rest = words.dropFirst().map { $0.replacing("--claims-challenge", with: "--claims") }
  let arguments = try? ToolArguments(rest)
  let command = name == "login" ? ToolSession.login(arguments) : ToolSession.command(name)
  throw Refusal("run \(command.shellCommand) instead")
}

/// `azd auth token`, which SDKs run.
private enum DeveloperCLI {
  static func run(_ words: ArraySlice<String>) async throws {
    let refusal = Refusal("it has only the command auth token")
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

/// `keyring get URL USER` for the package feeds of Azure Artifacts, which pip and uv run.
private enum KeyringCLI {
  private static let username = "VssSessionToken"
  private static let unsearchedPath = "MSAUTH_KEYRING_PATH"

  static func run(_ words: ArraySlice<String>) async throws {
    let arguments = try? ToolArguments(words)
    guard let arguments, arguments.words.first == "get", arguments.words.count >= 2,
      PackageFeed.accepts(arguments.words[1])
    else {
      return try execNext(words)
    }
    let token = try await ToolSession().token([GitCredential.azureDevOpsScope]).bearerToken()
    let name = arguments.words.count > 2 ? arguments.words[2] : username
    let usernames = arguments["mode"] == "creds" ? [(name: "username", value: name)] : []
    let credential = usernames + [("password", token)]
    if arguments["output"] == "json" { return try Console.result(object: credential) }
    try Console.result(credential.map(\.value).joined(separator: "\n"))
  }

  /// Replaces this process with the user's own keyring program, if there is one.
  private static func execNext(_ words: ArraySlice<String>) throws {
    let environment = ProcessInfo.processInfo.environment
    // The next program may be another msauth: it continues the search instead of finding this one.
    var directories = (environment[unsearchedPath] ?? environment["PATH"] ?? "").split(separator: ":")[...]
    let msauth = resolved("/proc/self/exe")
    while let directory = directories.popFirst() {
      let path = "\(directory)/keyring"
      guard access(path, X_OK) == 0, resolved(path) != msauth else { continue }
      let changes = ["\(unsearchedPath)=\(directories.joined(separator: ":"))"]
      _ = Execution.exec(path, [path] + words, changing: changes, keeping: Execution.inheritedDescriptors)
    }
    // keyring exits with 1 if it has no password.
    throw CommandFailure()
  }
}

extension Console {
  /// Writes a JSON object of strings as one line.
  static func result(object members: [(name: String, value: String)]) throws {
    try result(JSONValue.object(JSONValue.Object(members.map { ($0.name, .string($0.value)) })).serializedString())
  }
}

extension AuthenticationError {
  /// The tool's own message, which SDKs look for, and the command to run if the user has to sign in.
  fileprivate func toolMessage(_ signIn: String, _ arguments: ArraySlice<String>) -> String {
    if !lacksConsent, needsSignIn {
      let login = ToolSession.login(try? ToolArguments(arguments)).shellCommand
      return "\(signIn)\nThis is msauth under another name: run \(login) instead."
    }
    return message.printable() + (hint.map { "; \($0)" } ?? "")
  }
}
