@testable import DemoProvider
import MSAuthCrypto
import TestSupport

let ada = "ada@contoso.example"
let alan = "alan@contoso.example"
let grace = "grace@outlook.example"

/// `msauth` with its own home and a demo provider, by default one that behaves like Entra; users sign in without a
/// browser.
struct DemoProviderFixture: CommandFixture {
  let provider: DemoProvider
  var runner: CommandRunner
  /// The keyring that stores the tokens, if `inKeyring`.
  let keyring: Keyring?
  /// `nil` lets `msauth` choose.
  var store: String?
  /// Whether the authority is Entra's, not that of a plain OpenID Connect provider.
  private let isEntra: Bool

  /// Changes with the keyring's item.
  static let signalFile = "state/msauth/token_cache.keyring"

  /// Starts the provider, and signs users in, one after the other.
  init(
    _ options: DemoOptions = DemoOptions(),
    inKeyring: Bool = false,
    home: Home? = nil,
    isEntra: Bool = true,
    signedIn users: String...
  ) async throws {
    // The key type that is generated fastest.
    var options = options
    options.algorithm = .es256
    provider = try await DemoProvider.start(options)
    runner = CommandRunner(home: try home ?? Home())
    keyring = inKeyring ? try await Keyring(for: runner.home) : nil
    runner.environment = keyring?.environment ?? [:]
    (store, self.isEntra) = (inKeyring ? "secret-service" : "file", isEntra)
    for user in users { try await signIn(user) }
  }

  /// With a plain OpenID Connect provider, a configuration file, and users who consented to the scope of `run(_:as:)`.
  static func plain(
    _ faults: Set<Fault> = [],
    configuration: String? = nil,
    signedIn users: [String] = []
  ) async throws -> DemoProviderFixture {
    let fixture = try await DemoProviderFixture(DemoOptions(faults: faults), isEntra: false)
    if let configuration { try fixture.home.write(configuration, to: "config/msauth/config.json") }
    for user in users { try await fixture.signIn(user, "--scope", "User.Read") }
    return fixture
  }

  var identity: [String] { identity(provider.clientID) }

  func identity(_ clientID: String) -> [String] {
    let authority = isEntra ? [provider.entraAuthority(), "--authority-type", "aad"] : [provider.oidcIssuer]
    return ["--authority"] + authority + ["--client-id", clientID] + (store.map { ["--store", $0] } ?? [])
  }

  /// Starts a command of another application; `nil` is the provider's first one.
  func start(_ arguments: [String], client: String?) throws -> ChildProcess {
    try runner.start([arguments[0]] + identity(client ?? provider.clientID) + arguments.dropFirst())
  }

  func run(_ arguments: String..., client: String?) async throws -> CommandRunner.Outcome {
    try await run(arguments, client: client)
  }

  func run(_ arguments: [String], client: String?) async throws -> CommandRunner.Outcome {
    try await runner.outcome(of: start(arguments, client: client))
  }

  /// Runs a command, with a scope if it takes one, while the user completes the pages that it opens.
  func run(_ arguments: [String], as user: String) async throws -> CommandRunner.Outcome {
    let opensBrowser = ["login", "graph"].contains(arguments[0]) || arguments.contains("--interactive")
    let scope = opensBrowser || arguments[0] == "token" ? ["--scope", "User.Read"] : []
    let child = try start([arguments[0]] + scope + (opensBrowser ? ["--no-browser"] : []) + arguments.dropFirst())
    let walking = Task {
      guard opensBrowser, !arguments.contains("--timeout") else { return }
      _ = try await ScriptedBrowser().walk(from: try await child.printedURL(), as: user)
    }
    let outcome = try await runner.outcome(of: child)
    walking.cancel()
    return outcome
  }

  /// Calls the provider's Graph.
  func graph(_ arguments: String...) async throws -> CommandRunner.Outcome {
    try await run(["graph", "--endpoint", provider.graphURL] + arguments, as: "ada")
  }

  /// Completes the provider's pages for a command, and waits for its end.
  func complete(_ child: ChildProcess, as user: String = "ada", accepts: Bool = true) async throws
    -> CommandRunner.Outcome
  {
    _ = try await ScriptedBrowser().walk(from: try await child.printedURL(), as: user, accepts: accepts)
    return try await runner.outcome(of: child)
  }

  func signIn(_ user: String = "ada", client: String? = nil, _ arguments: String...) async throws {
    let outcome = try await complete(start(["login"] + arguments, client: client), as: user)
    guard outcome.code == 0 else { throw TestFailure("msauth login: \(outcome)") }
  }

  /// The grant types of all token requests, in order.
  func grants() async -> [String] {
    await provider.record.filter { $0.path.hasSuffix("/token") }.compactMap { $0["grant_type"] }
  }

  func cache() throws -> JSONValue {
    guard let text = home.read(Home.cacheFile) else { throw TestFailure("there is no \(Home.cacheFile)") }
    return try JSONValue(parsing: text.utf8, options: .strict(maximumSize: 8 << 20))
  }

  /// Changes every entry of a map in the token cache.
  func change(_ map: String, _ body: (inout JSONValue.Object) -> Void) throws {
    try home.changeEntries(of: map, body)
  }

  func remove(_ map: String) throws { try home.removeMap(map) }

  func expireAccessTokens() throws { try home.expireAccessTokens() }

  func secrets(_ map: String) throws -> Set<String> {
    Set(try cache()[map]?.object?.values.compactMap { $0["secret"]?.string } ?? [])
  }
}

extension DemoProvider {
  /// The prompts of all recorded authorization requests, in order.
  var prompts: [String?] {
    get async { await record.filter { $0["code_challenge"] != nil }.map { $0["prompt"] } }
  }
}

/// The path of a program in `Resources`.
func pythonScript(_ name: String) throws -> String {
  let script = Bundle.module.url(forResource: name, withExtension: "py", subdirectory: "Resources")
  guard let script else { throw TestFailure("\(name).py isn't in the test bundle") }
  return script.path
}
