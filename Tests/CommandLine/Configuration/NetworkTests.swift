import TestSupport
import Testing

@Suite("custom certificate authorities", .limitedConcurrency)
struct NetworkTests {
  private static let identity = ["--authority", "https://id.example", "--client-id", "app", "--store", "file"]

  @Test("a custom authority is trusted by flag, and by a file beside the configuration")
  func ownAuthority() async throws {
    let server = try ScriptedServer { request, _ in
      request.path == "/.well-known/openid-configuration"
        ? .json(
          #"{"issuer": "https://id.example", "authorization_endpoint": "https://id.example/a", "#
            + #""token_endpoint": "https://id.example/t", "jwks_uri": "https://id.example/k"}"#
        ) : .init(404)
    }
    let proxy = try await TLSProxy(["id.example": server.port])
    let certificate = try #require(proxy.environment["SSL_CERT_FILE"])
    let runner = try CommandRunner(environment: proxy.environment.filter { $0.key != "SSL_CERT_FILE" })
    let command = ["doctor", "--json"] + Self.identity

    let registration = ["--client-id", "app", "--issuer", "https://id.example"]
    try await runner.run(["init", "--ca-file", certificate, "--yes"] + registration).expect(0)
    try await runner.run("doctor", "--json").expectCheck("provider", "ok")
    try runner.home.write("{}", to: "config/msauth/config.json")

    let flag = try await runner.run(command + ["--ca-file", certificate]).expectCheck("provider", "ok")
    #expect(flag.stdout.contains("http://127.0.0.1:") && flag.stdout.contains("https_proxy"), "\(flag)")

    try FileManager.default.copyItem(atPath: certificate, toPath: runner.home.path("config/msauth/ca.pem"))
    try runner.home.write(#"{"ca_file": "ca.pem"}"#, to: "config/msauth/config.json")
    try await runner.run(command).expectCheck("provider", "ok")
  }

  @Test(
    "configured authorities replace the system's file and directory",
    arguments: [
      ([:], true), (["MSAUTH_CA_FILE": "other"], false), (["SSL_CERT_FILE": "other"], false),
      (["SSL_CERT_DIR": "none"], false), (["SSL_CERT_DIR": "system"], true),
      (["SSL_CERT_FILE": "other", "SSL_CERT_DIR": "system"], true),
      (["CURL_CA_BUNDLE": "other", "SSL_CERT_DIR": "system"], false),
      (["MSAUTH_CA_FILE": "other", "SSL_CERT_DIR": "system"], false),
    ] as [([String: String], Bool)]
  )
  func replacedAuthorities(names: [String: String], isTrusted: Bool) async throws {
    let server = try ScriptedServer { _, _ in .init(404) }
    let proxy = try await TLSProxy(["id.example": server.port])
    let (home, certificate) = (try Home(), try #require(proxy.environment["SSL_CERT_FILE"]))
    let script = """
      mkdir none system && cp "$1" system/ca-certificates.crt && openssl rehash system && \
      openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=other -keyout key -out other
      """
    let making = ["/bin/sh", "-c", script, "sh", certificate]
    try await ChildProcess.output(of: making, environment: home.environment, in: home.path("data"))

    var runner = CommandRunner(home: home, environment: names.mapValues { home.path("data/" + $0) })
    runner.environment["https_proxy"] = proxy.environment["https_proxy"]
    runner.prefix = try await MountNamespace.replacing("/etc/ssl/certs", with: home.path("data/system"))
    let outcome = try await runner.run(["doctor", "--json"] + Self.identity)
    let message = try outcome.check("provider")?["message"]?.string
    #expect(message?.contains("isn't trusted") == !isTrusted, "\(outcome)")
  }
}
