import DemoProvider
import MSAuthCrypto
import TestSupport

/// `msauth` with its own home and a provider that behaves like Entra; users sign in without a browser.
struct DemoProviderFixture: Sendable {
  let home: Home
  let provider: DemoProvider
  let runner: CommandRunner
  /// The keyring that stores the tokens; `nil` for a file.
  let keyring: Keyring?

  static let cacheFile = "state/msauth/token_cache.json"
  /// Changes with the keyring's item.
  static let signalFile = "state/msauth/token_cache.keyring"

  init(_ options: DemoOptions = DemoOptions(), inKeyring: Bool = false) async throws {
    home = try Home()
    // The key type that is generated fastest.
    var options = options
    options.algorithm = .es256
    provider = try await DemoProvider.start(options)
    keyring = inKeyring ? try await Keyring(for: home) : nil
    runner = CommandRunner(home: home, environment: keyring?.environment ?? [:])
  }

  /// The options that name the provider; `nil` is its first application.
  func identity(_ clientID: String? = nil) -> [String] {
    ["--authority", provider.entraAuthority(), "--authority-type", "aad"]
      + ["--store", keyring == nil ? "file" : "secret-service"]
      + ["--client-id", clientID ?? provider.clientID]
  }

  func start(_ arguments: [String], client: String? = nil) throws -> ChildProcess {
    try runner.start([arguments[0]] + identity(client) + arguments.dropFirst())
  }

  func run(_ arguments: String..., client: String? = nil) async throws -> CommandRunner.Outcome {
    try await run(arguments, client: client)
  }

  func run(_ arguments: [String], client: String? = nil) async throws -> CommandRunner.Outcome {
    try await runner.outcome(of: start(arguments, client: client))
  }

  /// Signs in by device code.
  func signIn(_ user: String = "ada", client: String? = nil, _ arguments: String...) async throws {
    let child = try start(["login"] + arguments, client: client)
    _ = try await ScriptedBrowser().walk(from: try await child.printedURL(), as: user)
    let outcome = try await runner.outcome(of: child)
    guard outcome.code == 0 else { throw TestFailure("msauth login: \(outcome)") }
  }

  /// The grant types of all token requests, in order.
  func grants() async -> [String] {
    await provider.record.filter { $0.path.hasSuffix("/token") }.compactMap { $0["grant_type"] }
  }

  func cache() throws -> JSONValue {
    guard let text = home.read(Self.cacheFile) else { throw TestFailure("there is no \(Self.cacheFile)") }
    return try JSONValue(parsing: text.utf8, options: .strict(maximumSize: 8 << 20))
  }

  /// Changes every entry of a map in the token cache.
  func change(_ map: String, _ body: (inout JSONValue.Object) -> Void) throws {
    try home.changeEntries(of: map, in: Self.cacheFile, body)
  }

  func remove(_ map: String) throws { try home.removeMap(map, in: Self.cacheFile) }

  func expireAccessTokens() throws { try home.expireAccessTokens(in: Self.cacheFile) }

  func secrets(_ map: String) throws -> Set<String> {
    Set(try cache()[map]?.object?.values.compactMap { $0["secret"]?.string } ?? [])
  }
}

func atOnce<Value: Sendable>(_ count: Int, _ work: @escaping @Sendable () async throws -> Value) async throws -> [Value]
{
  try await withThrowingTaskGroup(of: Value.self) { group in
    for _ in 0..<count { group.addTask(operation: work) }
    return try await group.reduce(into: []) { $0.append($1) }
  }
}
