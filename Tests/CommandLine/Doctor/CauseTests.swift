import TestSupport
import Testing

/// A fault, and what a sign-in and `msauth doctor` report about it.
struct Cause: Sendable, CustomTestStringConvertible {
  let name: String
  var authority = "https://id.example"
  var environment: [String: String] = [:]
  let exit: Int32
  let message: String
  let hint: String
  /// The check that finds it, its status, and an excerpt of its message and hint; by default the sign-in's.
  let check: String
  var status = "failed"
  var finding: String?
  var advice: String?

  var testDescription: String { name }
}

@Suite("the cause of a failure, and what to do", .limitedConcurrency)
struct CauseTests {
  private static let networkFaults = [
    (
      "refused", "http://127.0.0.1:1", 5, "couldn't connect to 127.0.0.1:1: connection refused",
      "check the network and 127.0.0.1:1, then try again"
    ),
    ("reset", "RESET", 5, "closed the connection before its response was complete", "check the network and 127.0.0.1:"),
    ("login page elsewhere", "PORTAL", 1, loginPage, "open any page in the browser"),
    ("login page", "PAGE", 1, " is a web page; " + loginPage, "open any page in the browser"),
    ("login page's status", "511", 5, loginPage, "open any page in the browser"),
    (
      "no such provider", "MISSING", 1, "returned status 404 instead of the provider's metadata",
      "check the authority: http://127.0.0.1:"
    ),
    ("busy", "BUSY", 5, "returned status 503 instead of the provider's metadata", "try again later"),
  ].map { Cause(name: $0, authority: $1, exit: $2, message: $3, hint: $4, check: "provider") }

  private static let loginPage = "it may come from a login page of the network"

  /// ProxyTests proves the other messages.
  private static let proxyFaults = [
    (
      "refused", "127.0.0.1:1", 5, "couldn't connect to the proxy 127.0.0.1:1 (https_proxy): connection refused",
      "check https_proxy, or add the host to no_proxy"
    ),
    (
      "password", "http://ada:se@cret@127.0.0.1:1", 78,
      "the user or the password in https_proxy has a character that a URL can't have",
      "percent-encode user and password in https_proxy: @ as %40"
    ),
  ].map { name, value, exit, message, hint in
    Cause(
      name: "proxy: \(name)",
      environment: ["https_proxy": value],
      exit: exit,
      message: message,
      hint: hint,
      check: "network"
    )
  }

  @Test("network and proxy faults", arguments: networkFaults + proxyFaults)
  func network(_ cause: Cause) async throws {
    let servers: [String: @Sendable (ScriptedServer.Peer) -> Void] = [
      "RESET": { $0.disconnect() },
      "PORTAL": { $0.respond("302 Found", ["Location: https://portal.hotel.example/"]) },
      "PAGE": { $0.respond("200 OK", ["Content-Type: text/html"], "<form>Room number</form>") },
      "511": { $0.respond("511 Network Authentication Required", ["Content-Type: text/html"], "<html>Log in</html>") },
      "MISSING": { $0.respond("404 Not Found") }, "BUSY": { $0.respond("503 Busy") },
    ]
    var cause = cause
    let server = try servers[cause.authority].map { try ScriptedServer($0) }
    if let server { cause.authority = server.url }
    try await check(cause)
    withExtendedLifetime(server) {}
  }

  @Test("certificate faults")
  func certificates() async throws {
    let server = try ScriptedServer { _, _ in .init(404) }
    let proxy = try await TLSProxy(["id.example": server.port])
    let untrusted = proxy.environment.filter { $0.key != "SSL_CERT_FILE" }
    try await check(
      Cause(
        name: "untrusted",
        environment: untrusted,
        exit: 1,
        message: "the certificate of id.example:443 isn't trusted (name or issuer)",
        hint: "check the URL; for an organization's own authority use --ca-file FILE",
        check: "provider"
      )
    )
    try await check(
      Cause(
        name: "missing file",
        environment: untrusted.merging(["SSL_CERT_FILE": "/nonexistent.pem"]) { $1 },
        exit: 1,
        message: "the trusted certificates couldn't be read: /nonexistent.pem",
        hint: "check the file, and the setting that names it: SSL_CERT_FILE",
        check: "network",
        finding: "the trusted certificates can't be read: /nonexistent.pem"
      )
    )
  }

  func check(_ cause: Cause, opensBrowser: Bool = false) async throws {
    let runner = try CommandRunner(environment: cause.environment)
    let identity = ["--client-id", "app", "--store", "file", "--authority", cause.authority]
    let login = try await runner.run(["login"] + identity + (opensBrowser ? [] : ["--no-browser"]))
    #expect(login.code == cause.exit && login.stdout.isEmpty, "\(login)")
    let lines = login.stderr.split(separator: "\n")
    let isHint = { (line: Substring) in line.hasPrefix("msauth: hint: ") }
    #expect(lines.contains { !isHint($0) && $0.contains(cause.message) }, "\(login)")
    #expect(lines.contains { isHint($0) && $0.contains(cause.hint) }, "\(login)")

    let doctor = try await runner.run(["doctor", "--json"] + identity)
    let hint = cause.status == "ok" ? nil : cause.advice ?? cause.hint
    try doctor.expectCheck(cause.check, cause.status, cause.finding ?? cause.message, hint: hint)
    #expect((doctor.code == 1) == doctor.stdout.contains("\"failed\""), "\(doctor)")
  }
}
