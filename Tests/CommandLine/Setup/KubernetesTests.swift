import TestSupport
import Testing

@Suite("Kubernetes clients", .limitedConcurrency)
struct KubernetesTests {
  @Test("python3-kubernetes runs msauth as a credential plugin, in both versions, for access token and ID token")
  func credentialPlugin() async throws {
    let fixture = try await ProviderMockFixture.signedIn()
    let cluster = try ScriptedServer { _, _ in
      .json(#"{"kind": "NamespaceList", "apiVersion": "v1", "metadata": {}, "items": []}"#)
    }
    for (version, more) in [("v1", []), ("v1beta1", ["--id-token"])] {
      let plugin = [try BuiltProducts.msauth, "token"] + fixture.identity + ["--output", "exec-credential"] + more
      let client = ["/usr/bin/python3", BuiltProducts.fixture("kubernetes-client.py"), version, cluster.url]
      try await fixture.runner.run(program: client + plugin).expect(0, stderr: "")
    }
    let tokens = ["access_token", "id_token"].compactMap { fixture.provider.proxy.values(of: $0).first }
    #expect(cluster.authorizations == tokens.map { "Bearer \($0)" }, "\(cluster.rawRequests)")
  }

  /// This system's `kubectl`, if it works, or the stand-in.
  private static func kubectl(in home: Home) async throws -> String {
    let (real, probe) = ("/usr/bin/kubectl", ["config", "set-credentials", "x", "--kubeconfig", home.path("probe")])
    let isWorking = try? await ChildProcess([real] + probe, environment: home.environment).end() == .exited(0)
    return isWorking == true ? real : BuiltProducts.fixture("kubectl.py")
  }

  @Test("setup makes kubectl run msauth for a context or a cluster, and --remove undoes it")
  func setUp() async throws {
    var fixture = try await ProviderMockFixture.signedIn()
    let home = fixture.home
    let cluster = try ScriptedServer { _, _ in .json(#"{"kind": "APIVersions", "versions": ["v1"]}"#) }
    try home.link("bin/msauth", to: BuiltProducts.msauth)
    let kubectl = home.path("bin/kubectl")
    try home.link("bin/kubectl", to: try await Self.kubectl(in: home))
    // Without TLS, kubectl sends no token.
    let proxy = try await TLSProxy(["cluster.example": cluster.port])
    let (file, other) = ("home/.kube/config", "home/.kube/other")
    fixture.runner.environment = proxy.environment.merging([
      "PATH": "\(home.path("bin")):/usr/bin:/bin", "KUBECONFIG": ":\(home.path(file)):\(home.path(other))",
    ]) { $1 }
    let old = """
      apiVersion: v1
      kind: Config
      # A comment.
      clusters: [{name: c, cluster: {server: "https://cluster.example"}}, {name: h, cluster: {server: "http://h"}}]
      contexts: [{name: x@c, context: {cluster: c, user: admin}}]
      users: [{name: admin, user: {token: pssst}}]

      """
    try home.write(old, to: file)
    try home.write("apiVersion: v1\nkind: Config\n", to: other)
    func setUp(_ arguments: String...) async throws -> CommandRunner.Outcome {
      try await fixture.runner.run(["setup", "kubectl"] + arguments + fixture.identity)
    }

    try await setUp("y").expect(78, "kubectl config get-contexts")
    try await fixture.runner.run(["setup", "kubectl", "c", "--client-id", "fixture"])
      .expect(64, "--id-token, or --scope")
    try await fixture.runner.run(["setup", "kubectl", "c"]).expect(78, "no client ID")
    try await setUp("c", "--remove", "--account", "ada").expect(64)
    fixture.runner.environment["MSAUTH_ACCOUNT"] = #"a,"b"#
    let printed = try await setUp("x@c", "--print")
    fixture.runner.environment["MSAUTH_ACCOUNT"] = nil
    #expect(printed.stdout.contains(#" '--exec-arg="a,""b"'"#), "\(printed)")
    #expect(printed.stdout.contains("--exec-env=MSAUTH_PREVIOUS_USER=admin "), "\(printed)")
    #expect(printed.stdout.contains(" -- msauth-x@c\n") && home.read(file) == old, "\(printed)")

    let added = try await setUp("x@c", "--id-token").expect(0, "user was admin", "the cluster accepts the token")
    let token = try #require(fixture.provider.proxy.values(of: "id_token").first)
    #expect(cluster.rawRequests.last?.contains("Bearer \(token)\r\n") == true, "\(cluster.rawRequests)")
    #expect(home.read(file + ".bak") == old && !added.stderr.contains("pssst"))
    #expect(home.read(other + ".bak") == nil && !added.stderr.contains("other"), "\(added)")
    let text = home.read(file)
    #expect(text?.contains("user: msauth-x@c\n  name: x@c") == true, "\(text ?? "")")
    let again = try await setUp("x@c", "--id-token")
    #expect(again.code == 0 && again.stderr.contains("nothing was written") && home.read(file) == text, "\(again)")
    // A rerun keeps the previous user.
    #expect(try await setUp("x@c").stderr.contains("accepts the token"))
    try await fixture.runner.run(program: [kubectl, "config", "rename-context", "x@c", "renamed"]).expect(0)

    let alone = try await setUp("c")
    #expect(alone.stderr.contains("accepts the token") && home.read(file)?.contains("msauth-c") == true, "\(alone)")
    #expect(alone.stderr.contains("kubectl config use-context c"), "\(alone)")
    #expect(try await setUp("h").stderr.contains("kubectl sends no token to http://h"))
    for name in ["renamed", "c", "h"] {
      try await setUp(name, "--remove").expect(0, "no longer uses msauth")
    }
    let restored = try #require(home.read(file))
    #expect(!restored.contains("msauth") && restored.contains("pssst"), "\(restored)")
    #expect(restored.contains("user: admin\n  name: renamed"), "\(restored)")
    #expect(restored.components(separatedBy: "- context:").count == 2, "\(restored)")
    #expect(try await setUp("c", "--remove").stderr.contains("nothing was written"))
    _ = try await fixture.run("logout")
    let requests = cluster.rawRequests.count
    let signedOut = try await setUp("c")
    #expect(signedOut.stderr.contains("kubectl can't get a token yet: no account is signed in"), "\(signedOut)")
    #expect(signedOut.stderr.contains("run msauth login ") && cluster.rawRequests.count == requests, "\(signedOut)")
    fixture.runner.environment["PATH"] = "/nonexistent"
    try await setUp("c").expect(78, "install kubectl")
  }
}
