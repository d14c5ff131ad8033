import ArgumentParser
import MSAuth
import MSAuthAzure
import MSAuthDesktop
import MSAuthPreferences
import MSAuthUnix

struct Serve: AsyncParsableCommand {
  enum Form: String, CaseIterable { case env, docker, json }

  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Serve tokens to Azure SDKs, for containers and IDEs.",
    discussion: """
      Prints environment variables, then serves the managed-identity endpoint that Azure SDKs use. Anyone with these \
      variables can get access tokens for your account, but no refresh tokens. The endpoint closes when the login session \
      ends, after --for, or when you sign out.

      Requests aren't encrypted. Apart from loopback, listen only on the address of a container network.

      EXAMPLES
        $ msauth serve > "$XDG_RUNTIME_DIR/azure" &
        $ . "$XDG_RUNTIME_DIR/azure" && code .
        $ vault=https://vault.azure.net
        $ msauth serve --output docker --listen 172.17.0.1 --resource $vault > env &
        $ docker run --env-file env IMAGE
      """
  )

  @Option(help: .value("url", "Resource to serve tokens for. Can be repeated. Default: any."))
  var resource: [String] = []

  @Option(help: .value("address", "ADDRESS or ADDRESS:PORT to listen on. Default: 127.0.0.1."))
  var listen: ListeningAddress?

  @Option(name: .customLong("for"), help: .value("duration", "Time limit, such as 90m. Default: 8h."))
  var time: ServingTime?

  @Option(
    help: .value("form", "Output format: env (for eval), docker (for --env-file) or json."),
    completion: .values(of: Form.self)
  )
  var output = "env"

  @Flag(help: "Also serve the metadata service of virtual machines.")
  var imds = false

  @Flag(help: .interactive) var interactive = false

  @OptionGroup(title: "Account") var choice: AccountOption
  @OptionGroup(title: "Browser") var browsing: BrowserOptions
  @OptionGroup(title: "Provider, store and messages") var options: SharedOptions

  func validate() throws {
    try browsing.check(mayOpen: interactive)
    if let address, resource.isEmpty {
      throw ValidationError("--listen \(address) needs --resource: other computers may reach that address")
    }
    if let invalid = resource.first(where: { AzureEndpoint.resource($0) == nil }) {
      throw ValidationError("--resource \(invalid.quoted) is not a resource's URI or application ID")
    }
  }

  /// The address that other computers may reach.
  private var address: String? { listen.flatMap { $0.isLoopback ? nil : $0.host } }

  func run() async throws {
    let form = try Form(word: output, of: "--output")
    let settings = try Settings(options, choice)
    let (client, parameters) = try await browsing.request(settings, scopes: [], isInteractive: interactive)
    let account = try await browsing.account(with: parameters, from: client)
    let server = try TokenServer(
      client: client,
      account: account,
      resources: resource.isEmpty ? nil : resource.compactMap(AzureEndpoint.resource),
      address: address,
      port: listen?.port ?? 0,
      servesIMDS: imds,
      interaction: parameters.interaction,
      describe: AzureMessage.text
    )
    try printVariables(server.variables, form)
    let directories = try? XDGDirectories(environment: client.configuration.environment)
    let session = RuntimeDirectory.usable(directories?.runtime?.parentDirectory).path
    switch try await server.run(for: time?.duration ?? ServingTime.standard, sessionDirectory: session) {
    case .signedOut: Console.notice("\(account.username.printable()) signed out, so the endpoint closed")
    case .timeIsUp: Console.notice("the time limit (--for) is up, so the endpoint closed")
    case .sessionEnded, nil: break
    }
  }

  private func printVariables(_ variables: [(name: String, value: String)], _ form: Form) throws {
    switch form {
    case .env:
      try Console.result("export " + variables.map { "\($0.name)=\($0.value.shellQuoted)" }.joined(separator: " "))
    case .docker: try Console.result(variables.map { "\($0.name)=\($0.value)" }.joined(separator: "\n"))
    case .json:
      let members = JSONValue.Object(variables.map { ($0.name, .string($0.value)) })
      try Console.result(JSONValue.object(["version": 1, "variables": .object(members)]).serializedString())
    }
  }
}

/// A numeric address, with or without a port.
struct ListeningAddress: ExpressibleByArgument {
  /// Without the brackets of IPv6.
  let host: String
  let port: UInt16?

  var isLoopback: Bool { Self.loopback.contains(host) }

  private static let loopback = ["127.0.0.1", "localhost"]

  init?(argument: String) {
    let isBareIPv6 = argument.utf8.count { $0 == UInt8(ascii: ":") } > 1 && !argument.hasPrefix("[")
    guard let url = try? WebURL("http://" + (isBareIPv6 ? "[\(argument)]" : argument), .request), url.path.isEmpty,
      url.query == nil
    else { return nil }
    let name = url.host.hasPrefix("[") ? String(url.host.dropFirst().dropLast()) : url.host
    let isNumeric = name.utf8.allSatisfy { $0.hexDigitValue != nil || ".:".utf8.contains($0) }
    // Clients need an address to connect to; `::ffff:0.0.0.0` means all of IPv4's.
    let isUnspecified = name.utf8.allSatisfy { "0.:fF".utf8.contains($0) }
    guard isNumeric && !isUnspecified || Self.loopback.contains(name) else { return nil }
    host = name
    port = url.explicitPort.flatMap { UInt16(exactly: $0) }
  }
}

/// Such as `8h`, `90m` or `3600`.
struct ServingTime: ExpressibleByArgument {
  let duration: Duration

  static let standard: Duration = .seconds(8 * 3600)
  private static let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]

  init?(argument: String) {
    let unit = argument.last.flatMap { Self.units[$0] }
    guard let count = Int64(unit == nil ? argument[...] : argument.dropLast()), (1...31_622_400).contains(count),
      count * (unit ?? 1) <= 31_622_400
    else { return nil }
    duration = .seconds(count * (unit ?? 1))
  }
}
