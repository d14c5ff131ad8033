import TestSupport

/// `msauth` with planted secrets, a provider that records them, and programs that record their environment.
struct SecrecyFixture: Sendable {
  let home: Home
  /// The planted secrets, by kind: a client secret, and the key of an encrypted cache, are in files.
  static let planted = [
    "proxy password": "planted-proxy-password", "client_secret": "planted-client-secret",
    // Encoded as in RFC 6749 §2.3.1.
    "client_secret in Base64": Data("fixture:planted-client-secret".utf8).base64EncodedString(),
    "store key": "planted-store-key-0123456789-abc",
  ]
  private let witness: String
  private let runner: CommandRunner
  let provider: ProviderMock

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

    __attribute__((destructor)) static void end(void) {
      if (strcmp(program_invocation_short_name, "msauth") != 0) return;
      int file = record("end");
      dprintf(file, "dumpable %d", prctl(PR_GET_DUMPABLE));
      close(file);
    }

    """
  }

  init() async throws {
    home = try Home()
    provider = try await ProviderMock()
    let configuration: JSONValue.Object = [
      "client_id": "fixture", "authority": .string(provider.authority), "store": "file",
      "client_secret": "planted-client-secret",
      "store_key_file": .string(try home.write("planted-store-key-0123456789-abc", to: "key")),
    ]
    try home.write(JSONValue.object(configuration).serializedString(), to: "config/msauth/config.json")

    let seen = home.path("seen")
    try FileManager.default.createDirectory(atPath: seen, withIntermediateDirectories: true)
    try FileManager.default.createDirectory(atPath: home.path("bin"), withIntermediateDirectories: true)
    let library = try await PreloadedLibrary(Self.recorder(seen), in: home)
    // A system program that does nothing.
    witness = home.path("bin/witness")
    for name in ["witness", "xdg-open", "gio", "x-www-browser", "www-browser", "sensible-browser", "notify-send"] {
      try FileManager.default.copyItem(atPath: "/usr/bin/true", toPath: home.path("bin/\(name)"))
    }
    try FileManager.default.createSymbolicLink(
      atPath: home.path("bin/msauth"),
      withDestinationPath: BuiltProducts.msauth
    )
    // The remote computer, for --via.
    let other = #"while [ "$1" != -- ]; do shift; done; shift 2; exec /bin/sh -c "$*""#
    try home.script(": ssh\n\(other)", to: "bin/ssh")
    let variables = [
      "PATH": "\(home.path("bin")):/usr/bin:/bin", "DISPLAY": ":77",
      "https_proxy": "http://user:planted-proxy-password@127.0.0.1:9",
    ]
    runner = CommandRunner(home: home, environment: library.environment.merging(variables) { $1 })
  }

  /// Runs a command while a user completes the pages it opens.
  func run(_ words: [String], input: String) async throws -> CommandRunner.Outcome {
    let replaced = words.map { word in
      switch word {
      case "CONFIG": home.path("config/other.json")
      case "CLIENT": "fixture"
      case "AUTHORITY": provider.authority
      case "WITNESS": witness
      default: word
      }
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
    case "login": _ = try await provider.signIn(at: child.printedURL())
    case "logout": try await PendingLogin(child).complete()
    default: break
    }
  }

  /// All transferred and planted secrets, with their kinds.
  func secrets() -> [String: String] {
    var kinds = Dictionary(uniqueKeysWithValues: Self.planted.map { ($0.value, $0.key) })
    for kind in ["code", "code_verifier", "access_token", "refresh_token", "id_token"] {
      for value in provider.proxy.values(of: kind) where value.utf8.count > 7 { kinds[value] = kind }
    }
    return kinds
  }

  /// The kinds that must occur for the test to prove anything.
  static let expectedKinds = Set(planted.keys).union([
    "code", "code_verifier", "access_token", "refresh_token", "id_token",
  ])
}
