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
  private static let proxyHint = "check https_proxy, or add the host to no_proxy"

  private static let networkFaults = [
    Cause(
      name: "name",
      authority: "https://nobody.invalid",
      exit: 5,
      message: "couldn't find nobody.invalid: its name doesn't resolve",
      hint: "check the network and nobody.invalid:443, then try again",
      check: "provider"
    ),
    Cause(
      name: "refused",
      authority: "http://127.0.0.1:1",
      exit: 5,
      message: "couldn't connect to 127.0.0.1:1: connection refused",
      hint: "check the network and 127.0.0.1:1, then try again",
      check: "provider"
    ),
    Cause(
      name: "reset",
      authority: "RESET",
      exit: 5,
      message: "closed the connection before its response was complete",
      hint: "check the network and 127.0.0.1:",
      check: "provider"
    ),
    Cause(
      name: "another protocol",
      authority: "SSH",
      exit: 5,
      message: "sent something other than an HTTP response",
      hint: "check the network and 127.0.0.1:",
      check: "provider"
    ),
    Cause(
      name: "login page",
      authority: "PORTAL",
      exit: 1,
      message: "it may come from a login page of the network",
      hint: "open any page in the browser",
      check: "provider"
    ),
    Cause(
      name: "no such provider",
      authority: "MISSING",
      exit: 1,
      message: "returned status 404 instead of the provider's metadata",
      hint: "check the authority: http://127.0.0.1:",
      check: "provider"
    ),
    Cause(
      name: "busy",
      authority: "BUSY",
      exit: 5,
      message: "returned status 503 instead of the provider's metadata",
      hint: "try again later",
      check: "provider"
    ),
  ]

  private static let proxyFaults = [
    Cause(
      name: "proxy refused",
      environment: ["https_proxy": "127.0.0.1:1"],
      exit: 5,
      message: "couldn't connect to the proxy 127.0.0.1:1 (https_proxy): connection refused",
      hint: proxyHint,
      check: "network"
    ),
    Cause(
      name: "SOCKS refused",
      environment: ["all_proxy": "socks5://127.0.0.1:1"],
      exit: 5,
      message: "couldn't connect to the proxy 127.0.0.1:1 (all_proxy): connection refused",
      hint: "check all_proxy, or add the host to no_proxy",
      check: "network"
    ),
    Cause(
      name: "proxy name",
      environment: ["https_proxy": "http://proxy.invalid:3128"],
      exit: 5,
      message: "couldn't find the proxy proxy.invalid:3128 (https_proxy): its name doesn't resolve",
      hint: proxyHint,
      check: "network"
    ),
    Cause(
      name: "proxy scheme",
      environment: ["https_proxy": "foo://127.0.0.1:1"],
      exit: 78,
      message: "https_proxy names a proxy with the scheme foo; supported are http,",
      hint: proxyHint,
      check: "network"
    ),
    Cause(
      name: "proxy password",
      environment: ["https_proxy": "http://ada:se@cret@127.0.0.1:1"],
      exit: 78,
      message: "the user or the password in https_proxy has a character that a URL can't have",
      hint: "percent-encode user and password in https_proxy: @ as %40",
      check: "network"
    ),
    Cause(
      name: "proxy value",
      environment: ["https_proxy": "127.0.0.1:99999"],
      exit: 78,
      message: "https_proxy doesn't contain a proxy's URL",
      hint: "write https_proxy as http://HOST:PORT",
      check: "network"
    ),
    Cause(
      name: "proxy without credentials",
      environment: ["https_proxy": "http://407"],
      exit: 5,
      message: "requires a user and a password (status 407)",
      hint: "add them to https_proxy, percent-encoded: http://USER:PASSWORD@HOST:PORT",
      check: "network"
    ),
    Cause(
      name: "proxy with wrong credentials",
      environment: ["https_proxy": "http://ada:wrong@407"],
      exit: 5,
      message: "rejected the user and the password (status 407)",
      hint: "if they are right, ask the proxy's administrator",
      check: "network"
    ),
    Cause(
      name: "proxy refuses the host",
      environment: ["https_proxy": "http://403"],
      exit: 5,
      message: "refused to connect to id.example:443 (status 403)",
      hint: "check id.example:443, ask the proxy's administrator to allow it, or add the host to no_proxy",
      check: "network"
    ),
  ]

  @Test("of the network and proxies", arguments: networkFaults + proxyFaults)
  func network(_ cause: Cause) async throws {
    let servers: [String: @Sendable (ScriptedServer.Peer) -> Void] = [
      "RESET": { $0.disconnect() },
      "SSH": {
        $0.send("SSH-2.0-OpenSSH_9.2\r\n")
        $0.disconnect()
      },
      "PORTAL": { $0.answer("302 Found", ["Location: https://portal.hotel.example/"]) },
      "MISSING": { $0.answer("404 Not Found") }, "BUSY": { $0.answer("503 Busy") },
      "407": { $0.answer("407 Proxy Authentication Required") }, "403": { $0.answer("403 Forbidden") },
    ]
    var cause = cause
    var running: [ScriptedServer] = []
    for (name, answer) in servers {
      let values = [cause.authority] + cause.environment.values
      guard values.contains(where: { $0 == name || $0.hasSuffix("/" + name) || $0.hasSuffix("@" + name) }) else {
        continue
      }
      let server = try ScriptedServer(answer)
      running.append(server)
      if cause.authority == name { cause.authority = server.url }
      cause.environment = cause.environment.mapValues { $0.replacing(name, with: "127.0.0.1:\(server.port)") }
    }
    try await check(cause)
    withExtendedLifetime(running) {}
  }

  @Test("of certificates and the clock")
  func certificates() async throws {
    let server = try ScriptedServer { _, _ in .init(404) }
    let proxy = try await TLSProxy(["id.example": server.port])
    let trusted = proxy.environment
    let untrusted = trusted.filter { $0.key != "SSL_CERT_FILE" }
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
    for (days, flaw) in [(10, "has expired"), (-10, "isn't valid yet")] {
      let home = try Home()
      let clock = try await PreloadedLibrary(PreloadedLibrary.clock(ahead: days * 86_400), in: home)
      try await check(
        Cause(
          name: flaw,
          environment: trusted.merging(clock.environment) { $1 },
          exit: 1,
          message: "the certificate of id.example:443 \(flaw): this computer's clock shows ",
          hint: "check this computer's clock: timedatectl shows it",
          check: "provider"
        )
      )
      withExtendedLifetime(home) {}
    }
    try await check(
      Cause(
        name: "missing file",
        environment: trusted.merging(["SSL_CERT_FILE": "/nonexistent.pem"]) { $1 },
        exit: 1,
        message: "the trusted certificates couldn't be read: /nonexistent.pem",
        hint: "check the file, and where it is configured",
        check: "network",
        finding: "the trusted certificates can't be read: /nonexistent.pem",
        advice: "check the file, and the setting that names it"
      )
    )
  }

  func check(_ cause: Cause, opensBrowser: Bool = false) async throws {
    let runner = try CommandRunner(environment: cause.environment)
    let identity = ["--client-id", "app", "--store", "file", "--authority", cause.authority]
    let login = try await runner.run(["login"] + identity + (opensBrowser ? [] : ["--no-browser"]))
    #expect(login.code == cause.exit && login.stdout.isEmpty, "\(login)")
    let lines = login.stderr.split(separator: "\n").filter { !$0.hasPrefix("msauth: hint: ") }
    #expect(lines.contains { $0.contains(cause.message) }, "\(login)")
    #expect(login.stderr.contains(/msauth: hint: (?s:.*)/) && login.stderr.contains(cause.hint), "\(login)")

    let doctor = try await runner.run(["doctor", "--json"] + identity)
    let check = try doctor.json["checks"]?.array?.first { $0["name"]?.string == cause.check }
    #expect(check?["status"]?.string == cause.status, "\(doctor)")
    #expect(check?["message"]?.string?.contains(cause.finding ?? cause.message) == true, "\(doctor)")
    if cause.status != "ok" {
      #expect(check?["hint"]?.string?.contains(cause.advice ?? cause.hint) == true, "\(doctor)")
    }
    #expect((doctor.code == 1) == (cause.status == "failed" || doctor.stdout.contains("\"failed\"")), "\(doctor)")
  }
}
