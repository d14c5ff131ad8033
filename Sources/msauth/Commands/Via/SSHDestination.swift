import FoundationEssentials
import MSAuth
import MSAuthPreferences
import MSAuthUnix
import Synchronization

/// A destination of ssh(1): `[user@]host` or `ssh://[user@]host[:port]`; the host may be a name of `~/.ssh/config`.
struct SSHDestination: Sendable {
  let name: String

  init?(_ name: String) {
    let bytes = name.utf8
    let scheme = "ssh://".utf8
    let target = bytes.starts(with: scheme) ? bytes.dropFirst(scheme.count) : bytes[...]
    let parts = target.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
    guard bytes.count <= 512, parts.allSatisfy({ !$0.isEmpty && $0.first != UInt8(ascii: "-") }),
      target.allSatisfy({ $0.isASCIIAlphanumeric || $0 >= 0x80 || "-._@:%[]+=~,/".utf8.contains($0) })
    else { return nil }
    self.name = name
  }

  /// Signs in there with the arguments of this command, and prints the result, or the name in it.
  func signIn(_ browsing: BrowserOptions, isJSON: Bool) async throws {
    let environment = ProcessInfo.processInfo.environment
    let host = name.printable(limit: 200)
    // The other settings apply to the other computer.
    let countdown = try? EffectiveSettings([:]).setting(named: "countdown").value?.bool
    StatusLine.isOn.store(countdown ?? true, ordering: .relaxed)
    if let noUserError = browsing.noUserError(browser: browsing.browser) {
      throw noUserError.with(hint: "run \(command: Invocation.deviceLogin) on \(host)")
    }
    let agent = try await LocalUserAgent(
      browser: browsing.browser,
      browserUse: browsing.noBrowser ? .report : .open,
      environment: environment,
      onEvent: browsing.eventHandler(for: "sign in")
    )
    let words = Invocation.isMCP ? MCPLogin.words : []
    let result = try await LoginVia(self, agent: agent, environment: environment).run(words + Invocation.ownOptions)
    guard let text = (result["server"] ?? result["account"]?["username"])?.string else {
      throw AuthenticationError(.invalidResponse, "\(host) reported no account", reason: "relay_failed")
    }
    guard isJSON else { return try Console.result(text.printable()) }
    try Console.result(document: JSONValue.object(result).serialized() + [UInt8(ascii: "\n")])
  }

  /// The arguments of ssh; they override the user's settings for forwarding, shared connections and commands.
  var arguments: [String] {
    ["-T", "-a", "-x"]
      + ["ClearAllForwardings=yes", "ControlMaster=no", "PermitLocalCommand=no", "RemoteCommand=none"]
      .flatMap { ["-o", $0] }
      + ["--", name, "msauth login --relay --json"]
  }
}
