import DemoProvider
import MSAuthCrypto
import TestSupport

/// `msauth` in a home of its own, and a provider that behaves like Entra; people sign in without a screen.
struct DemoProviderFixture: Sendable {
  let home: Home
  let provider: DemoProvider
  let runner: CommandRunner
  /// The keyring that keeps the tokens; nil for a file.
  let keyring: Keyring?

  /// Where the file store keeps the tokens, below the home.
  static let cacheFile = "state/msauth/token_cache.json"
  /// What changes with the keyring's item.
  static let signalFile = "state/msauth/token_cache.keyring"

  /// Starts the provider, which stops with the fixture.
  init(_ options: DemoOptions = DemoOptions(), inKeyring: Bool = false) async throws {
    home = try Home()
    // The key that is made fastest; RS256 is tried where the provider's kind is what the test is about.
    var options = options
    options.algorithm = .es256
    provider = try await DemoProvider.start(options)
    keyring = inKeyring ? try await Keyring(for: home) : nil
    runner = CommandRunner(home: home, environment: keyring?.environment ?? [:])
  }

  /// What a command needs to know of the provider.
  ///
  /// - Parameter clientID: The application; nil is the provider's first one.
  /// - Returns: Options.
  func identity(_ clientID: String? = nil) -> [String] {
    ["--authority", provider.entraAuthority(), "--authority-type", "aad"]
      + ["--store", keyring == nil ? "file" : "secret-service"]
      + ["--client-id", clientID ?? provider.clientID]
  }

  /// Starts a command that needs to know the provider.
  func start(_ arguments: [String], client: String? = nil) throws -> ChildProcess {
    try runner.start([arguments[0]] + identity(client) + arguments.dropFirst())
  }

  /// Runs a command that needs to know the provider.
  func run(_ arguments: String..., client: String? = nil) async throws -> CommandRunner.Outcome {
    try await run(arguments, client: client)
  }

  func run(_ arguments: [String], client: String? = nil) async throws -> CommandRunner.Outcome {
    try await runner.outcome(of: start(arguments, client: client))
  }

  /// Signs somebody in.
  ///
  /// - Parameters:
  ///   - person: The person's id at the provider.
  ///   - client: The application; nil is the provider's first one.
  ///   - arguments: More of `msauth login`.
  /// - Throws: ``TestFailure`` when `msauth login` does not exit with 0.
  func signIn(_ person: String = "ada", client: String? = nil, _ arguments: String...) async throws {
    let child = try start(["login"] + arguments, client: client)
    _ = try await ScriptedBrowser().walk(from: try await child.printedURL(), as: person)
    let outcome = try await runner.outcome(of: child)
    guard outcome.code == 0 else { throw TestFailure("msauth login: \(outcome)") }
  }

  /// The grant types that the token endpoint was asked for, in order.
  func grants() async -> [String] {
    await provider.record.filter { $0.path.hasSuffix("/token") }.compactMap { $0["grant_type"] }
  }

  /// The token cache as it is on disk.
  func cache() throws -> JSONValue {
    guard let text = home.read(Self.cacheFile) else { throw TestFailure("there is no \(Self.cacheFile)") }
    return try JSONValue(parsing: text.utf8, options: .strict(maximumSize: 8 << 20))
  }

  /// Changes every entry of one map of the token cache.
  func change(_ map: String, _ body: (inout JSONValue.Object) -> Void) throws {
    try home.changeEntries(of: map, in: Self.cacheFile, body)
  }

  /// Removes one map of the token cache.
  func remove(_ map: String) throws { try home.removeMap(map, in: Self.cacheFile) }

  /// Makes the stored access tokens old, as time would.
  func expireAccessTokens() throws { try home.expireAccessTokens(in: Self.cacheFile) }

  /// The secrets of one map of the token cache.
  func secrets(_ map: String) throws -> Set<String> {
    Set(try cache()[map]?.object?.values.compactMap { $0["secret"]?.string } ?? [])
  }
}

/// Runs the same work many times at once.
func atOnce<Value: Sendable>(_ count: Int, _ work: @escaping @Sendable () async throws -> Value) async throws -> [Value]
{
  try await withThrowingTaskGroup(of: Value.self) { group in
    for _ in 0..<count { group.addTask(operation: work) }
    return try await group.reduce(into: []) { $0.append($1) }
  }
}
