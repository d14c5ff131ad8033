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

  @Test("setup makes kubectl run msauth for a context or a cluster, and --remove undoes it")
  func setUp() async throws {
    let kubectl = try await Kubectl()
    let (fixture, home) = (kubectl.fixture, kubectl.fixture.home)
    let added = try await kubectl.setUp("x@c", "--id-token").expect(
      0,
      "user was admin",
      "the cluster accepts the token"
    )
    let token = try #require(fixture.provider.proxy.values(of: "id_token").first)
    let requests = kubectl.cluster.rawRequests
    #expect(requests.last?.contains("Bearer \(token)\r\n") == true, "\(requests)")
    #expect(home.read(Kubectl.file + ".bak") == Kubectl.old && !added.stderr.contains("pssst"))
    #expect(home.read(Kubectl.other + ".bak") == nil && !added.stderr.contains("other"), "\(added)")
    let text = home.read(Kubectl.file)
    #expect(text?.contains("user: msauth-x@c\n  name: x@c") == true, "\(text ?? "")")
    try await kubectl.setUp("x@c", "--id-token").expect(0, "nothing was written")
    #expect(home.read(Kubectl.file) == text)
    // A rerun keeps the previous user.
    #expect(try await kubectl.setUp("x@c").stderr.contains("accepts the token"))
    try await fixture.runner.run(program: [home.path("bin/kubectl"), "config", "rename-context", "x@c", "renamed"])
      .expect(0)

    let alone = try await kubectl.setUp("c")
    #expect(alone.stderr.contains("accepts the token"), "\(alone)")
    #expect(home.read(Kubectl.file)?.contains("msauth-c") == true, "\(alone)")
    #expect(alone.stderr.contains("kubectl config use-context c"), "\(alone)")
    #expect(try await kubectl.setUp("h").stderr.contains("kubectl sends no token to http://h"))
    for name in ["renamed", "c", "h"] {
      try await kubectl.setUp(name, "--remove").expect(0, "no longer uses msauth")
    }
    let restored = try #require(home.read(Kubectl.file))
    #expect(!restored.contains("msauth") && restored.contains("pssst"), "\(restored)")
    #expect(restored.contains("user: admin\n  name: renamed"), "\(restored)")
    #expect(restored.components(separatedBy: "- context:").count == 2, "\(restored)")
    #expect(try await kubectl.setUp("c", "--remove").stderr.contains("nothing was written"))
  }

  @Test("--print quotes the arguments for kubectl, and writes nothing")
  func printed() async throws {
    var kubectl = try await Kubectl()
    kubectl.fixture.runner.environment["MSAUTH_ACCOUNT"] = #"a,"b"#
    let printed = try await kubectl.setUp("x@c", "--print")
    #expect(printed.stdout.contains(#" '--exec-arg="a,""b"'"#), "\(printed)")
    #expect(printed.stdout.contains("--exec-env=MSAUTH_PREVIOUS_USER=admin "), "\(printed)")
    #expect(printed.stdout.contains(" -- msauth-x@c\n"), "\(printed)")
    #expect(kubectl.fixture.home.read(Kubectl.file) == Kubectl.old)
  }

  @Test("a setup that can't work is rejected")
  func rejected() async throws {
    var kubectl = try await Kubectl()
    try await kubectl.setUp("y").expect(78, "kubectl config get-contexts")
    let runner = kubectl.fixture.runner
    try await runner.run(["setup", "kubectl", "c", "--client-id", "fixture"]).expect(64, "--id-token, or --scope")
    try await runner.run(["setup", "kubectl", "c"]).expect(78, "no client ID")
    try await kubectl.setUp("c", "--remove", "--account", "ada").expect(64)
    kubectl.fixture.runner.environment["PATH"] = "/nonexistent"
    try await kubectl.setUp("c").expect(78, "install kubectl")
  }

  @Test("after a sign-out, setup reports that kubectl can't get a token, and the cluster gets no request")
  func signedOut() async throws {
    let kubectl = try await Kubectl()
    try await kubectl.fixture.run("logout").expect(0)
    let outcome = try await kubectl.setUp("c")
    #expect(outcome.stderr.contains("kubectl can't get a token yet: no account is signed in"), "\(outcome)")
    #expect(outcome.stderr.contains("run msauth login ") && kubectl.cluster.rawRequests.isEmpty, "\(outcome)")
  }
}

/// kubectl and its configuration, with a cluster that accepts every token, and a signed-in user.
private struct Kubectl {
  static let file = "home/.kube/config"
  static let other = "home/.kube/other"
  static let old = """
    apiVersion: v1
    kind: Config
    # A comment.
    clusters: [{name: c, cluster: {server: "https://cluster.example"}}, {name: h, cluster: {server: "http://h"}}]
    contexts: [{name: x@c, context: {cluster: c, user: admin}}]
    users: [{name: admin, user: {token: pssst}}]

    """

  var fixture: ProviderMockFixture
  let cluster: ScriptedServer
  private let proxy: TLSProxy

  init() async throws {
    fixture = try await ProviderMockFixture.signedIn()
    let home = fixture.home
    cluster = try ScriptedServer { _, _ in .json(#"{"kind": "APIVersions", "versions": ["v1"]}"#) }
    try home.link("bin/msauth", to: BuiltProducts.msauth)
    try home.link("bin/kubectl", to: try await Self.program(in: home))
    // Without TLS, kubectl sends no token.
    proxy = try await TLSProxy(["cluster.example": cluster.port])
    fixture.runner.environment = proxy.environment.merging([
      "PATH": "\(home.path("bin")):/usr/bin:/bin",
      "KUBECONFIG": ":\(home.path(Self.file)):\(home.path(Self.other))",
    ]) { $1 }
    try home.write(Self.old, to: Self.file)
    try home.write("apiVersion: v1\nkind: Config\n", to: Self.other)
  }

  /// This system's `kubectl`, if it works, or the stand-in.
  private static func program(in home: Home) async throws -> String {
    let (real, probe) = ("/usr/bin/kubectl", ["config", "set-credentials", "x", "--kubeconfig", home.path("probe")])
    let isWorking = try? await ChildProcess([real] + probe, environment: home.environment).end() == .exited(0)
    return isWorking == true ? real : BuiltProducts.fixture("kubectl.py")
  }

  func setUp(_ arguments: String...) async throws -> CommandRunner.Outcome {
    try await fixture.runner.run(["setup", "kubectl"] + arguments + fixture.identity)
  }
}
