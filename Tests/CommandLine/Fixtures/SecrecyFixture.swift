@testable import DemoProvider
import MSAuthCrypto
import TestSupport

/// `msauth` with planted secrets, a provider and an MCP server behind recording proxies, and programs that record their
/// environment.
struct SecrecyFixture: Sendable {
  enum Kind: String, CaseIterable {
    /// Bound tokens, whose key is in the cache.
    case boundTokens
    /// A client secret, and a cache encrypted with a key from a file.
    case secretAndStoreKey
  }

  let home: Home
  let proxy: RecordingProxy
  /// The planted secrets, by kind.
  let planted: [String: String]
  private let kind: Kind
  private let witness: String
  private let runner: CommandRunner
  private let mock: ProviderMock?
  /// Stops with its last owner.
  private let demo: DemoProvider?
  private let mcpServer: ScriptedMCPServer
  private let mcpProxy: RecordingProxy
  private let clientID: String
  private let authority: String

  /// Records each program's arguments and environment, and whether each `msauth` could be dumped at its end.
  private static func recorder(_ folder: String) -> String {
    """
    #define _GNU_SOURCE
    #include <errno.h>
    #include <fcntl.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <sys/prctl.h>
    #include <sys/syscall.h>
    #include <unistd.h>

    static int record(const char *name) {
      char path[4096];
      snprintf(path, sizeof path, "\(folder)/%s-XXXXXX", name);
      return mkostemp(path, O_CLOEXEC);
    }

    static void copy(const char *path, int to) {
      char bytes[65536];
      ssize_t count;
      int from = open(path, O_RDONLY | O_CLOEXEC);
      while ((count = read(from, bytes, sizeof bytes)) > 0 && write(to, bytes, count) == count);
      close(from);
    }

    __attribute__((constructor)) static void begin(void) {
      int file = record("begin");
      dprintf(file, "/%s%c", program_invocation_short_name, 0);
      copy("/proc/self/cmdline", file);
      copy("/proc/self/environ", file);
      close(file);
    }

    void _exit(int status) {
      if (strcmp(program_invocation_short_name, "msauth") == 0) {
        int file = record("end");
        dprintf(file, "dumpable %d", prctl(PR_GET_DUMPABLE));
        close(file);
      }
      syscall(SYS_exit_group, status);
      __builtin_unreachable();
    }

    """
  }

  init(_ kind: Kind) async throws {
    self.kind = kind
    home = try Home()
    var configuration: JSONValue.Object
    var planted = ["proxy password": "planted-proxy-password", "git's password": "planted-git-password"]
    switch kind {
    case .boundTokens:
      let port = try freePort()
      proxy = try RecordingProxy(before: port)
      var options = DemoOptions(port: port, algorithm: .es256)
      options.publicURL = "http://127.0.0.1:\(proxy.port)"
      let provider = try await DemoProvider.start(options)
      (mock, demo, clientID, authority) = (nil, provider, provider.clientID, provider.oidcIssuer)
      configuration = ["dpop": true]
    case .secretAndStoreKey:
      let provider = try await ProviderMock()
      proxy = provider.proxy
      (mock, demo, clientID, authority) = (provider, nil, "fixture", provider.authority)
      planted["client_secret"] = "planted-client-secret"
      // Encoded as in RFC 6749 §2.3.1.
      planted["client_secret in Base64"] = Data("fixture:planted-client-secret".utf8).base64EncodedString()
      planted["store key"] = "planted-store-key-0123456789-abc"
      let key = try home.write("planted-store-key-0123456789-abc", to: "key")
      configuration = ["client_secret": "planted-client-secret", "store_key_file": .string(key)]
    }
    self.planted = planted
    mcpServer = try ScriptedMCPServer.accepting { path, _, origin in
      switch path.prefix(while: { $0 != "?" }) {
      case "/register": .registration("c", origin, #", "client_secret": "planted-mcp-client-secret""#)
      case "/authorize": .redirect(from: path, "code=planted-mcp-code")
      case "/token":
        .json(
          """
          {"access_token": "token-planted-mcp", "refresh_token": "planted-mcp-refresh-token", "token_type": "Bearer",
          "expires_in": 3600}
          """
        )
      default: nil
      }
    }
    mcpProxy = try RecordingProxy(before: mcpServer.port)
    configuration["client_id"] = .string(clientID)
    configuration["authority"] = .string(authority)
    configuration["store"] = "file"
    try home.write(JSONValue.object(configuration).serializedString(), to: "config/msauth/config.json")

    let seen = home.path("seen")
    try FileManager.default.createDirectory(atPath: seen, withIntermediateDirectories: true)
    let library = try await PreloadedLibrary(Self.recorder(seen), in: home)
    try home.link("bin/msauth", to: BuiltProducts.msauth)
    // A system program that does nothing.
    witness = home.path("bin/witness")
    for name in ["witness", "xdg-open", "gio", "x-www-browser", "www-browser", "sensible-browser", "notify-send"] {
      try FileManager.default.copyItem(atPath: "/usr/bin/true", toPath: home.path("bin/\(name)"))
    }
    try home.link("bin/kubectl", to: BuiltProducts.fixture("kubectl.py"))
    try home.write(#"{"clusters": [{"name": "c", "cluster": {"server": "http://c"}}]}"#, to: "home/.kube/config")
    // The remote computer, for --via.
    let other = #"while [ "$1" != -- ]; do shift; done; shift 2; exec /bin/sh -c "$*""#
    try home.script(": ssh\n\(other)", to: "bin/ssh")
    let variables = [
      "PATH": "\(home.path("bin")):/usr/bin:/bin", "DISPLAY": ":77",
      "https_proxy": "http://user:planted-proxy-password@127.0.0.1:9",
    ]
    runner = CommandRunner(home: home, environment: library.environment.merging(variables) { $1 })
  }

  /// Whether a command works with this provider.
  func takes(_ words: [String]) -> Bool {
    switch kind {
    // These would present the token as a bearer token.
    case .boundTokens:
      !words.starts(with: ["git-credential", "get"])
        && Set(words).isDisjoint(with: ["xoauth2", "oauthbearer", "exec-credential", "header"])
        || words.contains("--proof-for")
    case .secretAndStoreKey: Set(words).isDisjoint(with: ["--device-code", "--proof-for"])
    }
  }

  /// Runs a command while a user completes the pages it opens.
  func run(_ words: [String]) async throws -> CommandRunner.Outcome {
    let registry = authority.split(separator: "/").dropFirst().first.map(String.init) ?? ""
    let replaced = words.map { word in
      switch word {
      case "CONFIG": home.path("config/other.json")
      case "CLIENT": clientID
      case "AUTHORITY": authority
      case "WITNESS": witness
      case "REGISTRY": registry
      case "SERVER": "http://127.0.0.1:\(mcpProxy.port)/mcp"
      default: word
      }
    }
    let input =
      switch words[0] {
      case "git-credential": "protocol=https\nhost=git.example\npassword=planted-git-password\n\n"
      case "docker-credential": registry
      case "mcp": #"{"jsonrpc": "2.0", "id": 1, "method": "initialize"}"# + "\n"
      default: ""
      }
    var runner = runner
    runner.prefix = ["/bin/sh", "-c", #"exec "$@" < "$0""#, try home.write(input, to: "input")]
    let child = try runner.start(replaced)
    let walking = Task { try await walk(words, child) }
    let outcome = try await runner.outcome(of: child)
    walking.cancel()
    return outcome
  }

  private func walk(_ words: [String], _ child: ChildProcess) async throws {
    switch words[0] {
    case "login" where words.contains("--device-code"):
      let (page, code) = try await child.printedDeviceCode()
      _ = try await ScriptedBrowser().walk(from: page, as: "ada", userCode: code)
    case "login":
      let url = try await child.printedURL()
      if let mock {
        _ = try await mock.signIn(at: url)
      } else {
        _ = try await ScriptedBrowser().walk(from: url, as: "ada")
      }
    case "mcp" where words.contains("login"):
      _ = try await RedirectChain.from(child.printedURL())
    case "logout":
      try await PendingLogin(child).complete()
    default: break
    }
  }

  private static let transferred = [
    "code", "code_verifier", "access_token", "refresh_token", "id_token", "device_code", "client_secret",
    "registration_access_token", "state", "nonce", "code_challenge",
  ]

  /// All transferred and planted secrets, by kind.
  func secrets() -> [(kind: String, value: String)] {
    var secrets = planted.map { (kind: $0.key, value: $0.value) }
    for kind in Self.transferred {
      let values = proxy.values(of: kind).union(mcpProxy.values(of: kind))
      secrets += values.filter { $0.utf8.count > 7 }.map { (kind, $0) }
    }
    let cache = try? home.json(Home.cacheFile)
    let keys = cache?["msauth"]?["clients"]?[clientID]?["keys"]?.object.map { Array($0.values) } ?? []
    return secrets + keys.compactMap { $0["private_key"]?.string }.map { ("private key", String($0.prefix(40))) }
  }

  /// The kinds that must occur for the test to prove anything.
  var expectedKinds: Set<String> {
    let always = Set(Self.transferred).subtracting(["device_code"]).union(["proxy password", "git's password"])
    return always.union(kind == .boundTokens ? ["device_code", "private key"] : ["store key"])
  }
}
