@testable import DemoProvider
import Foundation
import Glibc
import MSAuthCore
import TestSupport
import Testing

extension AzureTests {
  /// A served endpoint: the process and its variables.
  private func serve(
    _ options: [String] = [],
    of fixture: DemoProviderFixture? = nil
  ) async throws -> (child: ChildProcess, variables: [String: String]) {
    let child = try (fixture ?? self.fixture).start(["serve", "--output", "json"] + options)
    let object = try JSONValue(parsing: try await child.firstLine().utf8)
    #expect(object["version"]?.integer == 1)
    return (child, object["variables"]?.object?.mapValues { $0.string ?? "" } ?? [:])
  }

  private func get(
    _ variables: [String: String],
    _ resource: String = vault,
    _ headers: [String: String]? = nil
  ) async throws -> HTTPClient.Response {
    let url = "\(variables["IDENTITY_ENDPOINT"] ?? "")?api-version=2019-08-01&resource=\(resource)"
    let headers = headers ?? ["X-IDENTITY-HEADER": variables["IDENTITY_HEADER"] ?? ""]
    return try await HTTPClient.send("GET", url, headers: headers)
  }

  @Test("another local user is rejected", .enabled(if: geteuid() == 0, "needs root to become another user"))
  func otherUser() async throws {
    let (child, variables) = try await serve()
    defer { child.killGroup() }
    let url = "\(variables["IDENTITY_ENDPOINT"] ?? "")?api-version=2019-08-01&resource=\(Self.vault)"
    let header = "X-IDENTITY-HEADER: \(variables["IDENTITY_HEADER"] ?? "")"
    let curl = ["curl", "-s", "-w", "%{http_code}", "-H", header, url]
    #expect(try await ChildProcess.output(of: ChildProcess.becoming(12_002) + curl) == "403")
  }

  @Test("the endpoint ends at sign-out, and at its timeout")
  func ending() async throws {
    try await fixture.run("serve", "--for", "1s").expect(0, "--for")
    let (child, _) = try await serve()
    try await fixture.run("logout").expect(0)
    #expect(try await child.end() == .exited(0))
    #expect(child.stderr.contains("signed out"), "\(child.stderr)")
  }

  @Test("the endpoint listens on the address that is named, if this computer has it")
  func address() async throws {
    // A computer may have no IPv6.
    let loopback = try await fixture.run("serve", "--listen", "::1", "--for", "1s")
    #expect(loopback.code == 0 || loopback.code == 1 && loopback.stderr.contains("::1"), "\(loopback)")
    // 203.0.113.0/24 is for documentation.
    try await fixture.run("serve", "--listen", "203.0.113.1", "--resource", Self.vault)
      .expect(1, "203.0.113.1", "hint: list this computer's addresses: ip -brief address\n")
    try await fixture.run("serve", "--resource", "vault", "--for", "1s").expect(64, "isn't a resource's URI")
  }

  @Test("on a terminal, serve shows what it serves, until when, and how to stop")
  func terminal() async throws {
    let outcome = try await fixture.runOnTerminal("serve", "--resource", Self.vault, "--for", "1s")
    let text = outcome.stdout.replacing("\r\n", with: " ").split(separator: " ").joined(separator: " ")
    #expect(text.contains("serving tokens of ada@contoso.example for \(Self.vault) at http://127.0.0.1:"), "\(outcome)")
    #expect(text.contains(/until \d{4}-\d\d-\d\d \d\d:\d\d/) && text.contains("stop it with Ctrl-C"), "\(outcome)")
  }

  // MARK: in the background

  private var running: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: fixture.home.path("run/msauth/serve"))) ?? []
  }

  @Test("--background serves a shell until --stop, which unsets the variables")
  func background() async throws {
    let identity = fixture.identity.map { "'\($0)'" }.joined(separator: " ")
    let msauth = try BuiltProducts.msauth
    // A pipe on stderr would keep the shell waiting if the endpoint held it.
    let script = """
      eval "$(\(msauth) serve --background \(identity) 2>&1)" && kill -0 "$MSAUTH_SERVE_PID" && echo running
      curl -s -H "X-IDENTITY-HEADER: $IDENTITY_HEADER" "$IDENTITY_ENDPOINT?api-version=2019-08-01&resource=\(Self.vault)" \
        | grep -o access_token
      port=$IDENTITY_ENDPOINT
      other=$(\(msauth) serve --background --output json \(identity))
      eval "$(\(msauth) serve --stop -q)"
      echo "${IDENTITY_HEADER-unset} ${MSAUTH_SERVE_PID-unset}"
      curl -s "$port" || echo closed
      """
    let outcome = try await fixture.runner.run(program: ["sh", "-c", script])
    #expect(outcome.stdout == "running\naccess_token\nunset unset\nclosed\n" && outcome.stderr.isEmpty, "\(outcome)")
    // The other one isn't this shell's.
    #expect(running.count == 1)
    let gone = ["env", "MSAUTH_SERVE_PID=1", msauth, "serve", "--stop"]
    try await fixture.runner.run(program: gone)
      .expect(0, "already ended; another one is running", "stop every endpoint: env -u MSAUTH_SERVE_PID ")
    try await fixture.runner.run("serve", "--stop").expect(0, output: " unset IDENTITY_ENDPOINT ")
    #expect(running.isEmpty)
    try await fixture.runner.run("serve", "--stop").expect(0, "no endpoint", stdout: "")
    // A shell has the variables of an endpoint that ended by itself.
    let ended = try await fixture.runner.run(program: ["env", "MSAUTH_SERVE_PID=1", msauth, "serve", "--stop"])
    #expect(ended.code == 0 && ended.stdout.contains(" unset IDENTITY_ENDPOINT IDENTITY_HEADER "), "\(ended)")
    #expect(ended.stdout.hasSuffix(" MSAUTH_SERVE_PID;\n") && ended.stderr.contains("no endpoint"), "\(ended)")
    for shell in ["bash", "dash", "zsh", "fish"] {
      let script = "export IDENTITY_ENDPOINT=x\n\(ended.stdout)printenv IDENTITY_ENDPOINT"
      try await fixture.runner.run(program: [shell, "-c", script]).expect(1, stdout: "", stderr: "")
    }
  }

  @Test("--stop reports an endpoint that doesn't end, and unsets no variables")
  func unstoppable() async throws {
    let msauth = try BuiltProducts.msauth
    let started = try await fixture.run("serve", "--background", "--output", "json").expect(0)
    let process = try #require(try started.json["variables"]?["MSAUTH_SERVE_PID"]?.string)
    let number = try #require(pid_t(process))
    kill(number, SIGSTOP)
    defer { kill(number, SIGCONT) }
    try await fixture.runner.run(program: ["env", "MSAUTH_SERVE_PID=\(process)", msauth, "serve", "--stop"])
      .expect(4, "the endpoint with process ID \(process) is still running", "run kill -9 \(process)", stdout: "")
    kill(number, SIGCONT)
    try await eventually("the endpoint's end") { running.isEmpty }
  }

  @Test("--stop ends another container's endpoint, and no process here that has its ID")
  func otherContainer() async throws {
    try await fixture.run("serve", "--background", "--env-file", "azure.env").expect(0)
    let other = try fixture.runner.start(program: ["/bin/sleep", "1000"])
    defer { other.signal(SIGKILL) }
    let state = try "run/msauth/serve/" + #require(fixture.home.files(below: "run/msauth/serve").first)
    let content = try #require(fixture.home.read(state))
    try fixture.home.write(content.replacing(/^\d+/, with: "\(other.pid)"), to: state)
    try await fixture.runner.run("serve", "--stop").expect(0, output: " unset IDENTITY_ENDPOINT ")
    #expect(kill(other.pid, 0) == 0 && running.isEmpty)
    try await eventually("the endpoint's end") { fixture.home.read("home/azure.env") == nil }
  }

  enum End: CaseIterable { case loginSession, signOut, timeout }

  @Test(
    "an endpoint in the background ends with the login session, at sign-out and with --for",
    arguments: End.allCases
  )
  func backgroundEnd(_ end: End) async throws {
    let options = end == .timeout ? ["--for", "2s"] : []
    try await fixture.run(["serve", "--background", "--env-file", "azure.env"] + options)
      .expect(0, "azure.env", stdout: "")
    #expect(fixture.home.read("home/azure.env")?.contains("MSAUTH_SERVE_PID=") == true)
    #expect(try fixture.home.mode("home/azure.env") == 0o600)
    switch end {
    case .loginSession: try FileManager.default.removeItem(atPath: fixture.home.path("run/msauth/serve"))
    case .signOut: try await fixture.run("logout").expect(0)
    case .timeout: break
    }
    try await eventually("the endpoint's end") {
      fixture.home.read("home/azure.env") == nil && running.isEmpty
    }
  }

  @Test("--background reports what prevents it, and leaves nothing behind")
  func noBackground() async throws {
    var fixture = fixture
    let taken = try await serve()
    defer { taken.child.killGroup() }
    let address = taken.variables["IDENTITY_ENDPOINT"]?.split(separator: "/")[1] ?? ""
    try await fixture.run("serve", "--background", "--listen", "\(address)")
      .expect(1, "port_in_use", "hint: choose another port for --listen", stdout: "")
    #expect(running.isEmpty)
    for options in [["--background", "--interactive"], ["--stop", "--for", "1s"]] {
      try await fixture.run(["serve"] + options).expect(64, "can't be combined")
    }
    fixture.runner.environment["XDG_RUNTIME_DIR"] = "/nonexistent"
    try await fixture.run("serve", "--background").expect(78, "loginctl")
    try await fixture.run("logout").expect(0)
    try await fixture.run("serve", "--background").expect(2)
  }

  @Test("--env-file is for this user alone, and exists while the endpoint does")
  func environmentFile() async throws {
    // As an endpoint that was killed left it.
    let path = try fixture.home.write("IDENTITY_ENDPOINT=old\n", to: "home/azure.env", mode: 0o644)
    let child = try fixture.start(["serve", "--env-file", "azure.env"])
    _ = try await child.stderrLine("the file") { $0.contains("azure.env") ? $0 : nil }
    #expect(try fixture.home.mode("home/azure.env") == 0o600 && child.stdout.isEmpty)
    let lines = (fixture.home.read("home/azure.env") ?? "").split(separator: "\n").map(String.init)
    let pairs = lines.map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
    #expect(try await get(Dictionary(uniqueKeysWithValues: pairs.map { ($0[0], $0[1]) })).status == 200)
    child.signal(SIGTERM)
    #expect(try await child.end() == .exited(143))
    #expect(fixture.home.read("home/azure.env") == nil)
    let own = "KEY=mine\n"
    try fixture.home.write(own, to: "home/.env")
    let kept = try await fixture.run("serve", "--env-file", ".env", "--for", "1s")
    #expect(kept.code == 64 && kept.stderr.contains(".env exists and isn't msauth's"), "\(kept)")
    #expect(kept.stderr.contains("hint: name another file") && fixture.home.read("home/.env") == own, "\(kept)")
    // Another user would choose where the secret is written.
    try fixture.home.link("home/link", to: path)
    for file in ["link", "missing/azure.env", "/dev/null", ""] {
      try await fixture.run("serve", "--env-file", file, "--for", "1s").expect(64, "--env-file")
    }
  }

  @Test("where only the secret protects the endpoint, it isn't written to a file that others can read")
  func readableOutput() async throws {
    let msauth = ([try BuiltProducts.msauth, "serve"] + fixture.identity).map { "'\($0)'" }.joined(separator: " ")
    for (mask, code) in [("022", 64), ("027", 64), ("077", 1)] {
      // 203.0.113.0/24 is for documentation.
      let command = "umask \(mask); \(msauth) --listen 203.0.113.1 --resource \(Self.vault) > out\(mask)"
      let outcome = try await fixture.runner.run(program: ["sh", "-c", command])
      #expect(outcome.code == code && outcome.stderr.contains("--env-file") == (code == 64), "\(outcome)")
      #expect(fixture.home.read("home/out\(mask)") == "")
    }
  }

  @Test(
    "a container with the secret gets tokens for the listed resources",
    .enabled(if: geteuid() == 0, "needs root to make a network")
  )
  func container() async throws {
    let container = try await NetworkNamespace()
    let options = ["--listen", container.hostAddress, "--resource", Self.vault, "--imds"]
    let (endpoint, variables) = try await serve(options)
    defer { endpoint.killGroup() }
    #expect(variables["IDENTITY_ENDPOINT"]?.hasPrefix("http://\(container.hostAddress):") == true)
    let names = ["DefaultAzureCredential", "ManagedIdentityClient", "CloudShell", "IMDS"]
    let command = [try BuiltProducts.python(), try script, Self.vault] + names
    let environment = variables.merging(ChildProcess.minimalEnvironment) { $1 }
    let child = try ChildProcess(container.entering + command, environment: environment)
    let results = try lines(try await fixture.runner.outcome(of: child))
    #expect(results.count == 4 && results.allSatisfy { $0["audience"]?.string == Self.vault }, "\(results)")
    func status(_ secret: String, _ resource: String) async throws -> String {
      let url = "\(variables["IDENTITY_ENDPOINT"] ?? "")?api-version=2019-08-01&resource=\(resource)"
      let curl = ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "-H", "X-IDENTITY-HEADER: \(secret)", url]
      return try await ChildProcess.output(of: container.entering + curl)
    }
    #expect(try await status(variables["IDENTITY_HEADER"] ?? "", Self.management) == "403")
    #expect(try await status("x", Self.vault) == "401")
  }

  @Test("with --interactive, the browser opens once for all waiting requests")
  func interactive() async throws {
    let fixture = try await DemoProviderFixture(signedIn: "ada")
    let (child, variables) = try await serve(["--interactive", "--no-browser"], of: fixture)
    defer { child.killGroup() }
    async let responses = atOnce(3) { try await self.get(variables) }
    _ = try await ScriptedBrowser().walk(from: child.printedURL(), as: "ada")
    #expect(try await responses.allSatisfy { $0.status == 200 })
    #expect(child.stderr.ranges(of: "state=").count == 1, "\(child.stderr)")
    #expect(await fixture.provider.prompts.count == 2)
  }
}
