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
    func kubeconfig(_ version: String, _ arguments: String...) throws -> String {
      let list = (["token"] + fixture.identity + ["--output", "exec-credential"] + arguments)
        .map { "\"\($0)\"" }.joined(separator: ", ")
      return try fixture.home.write(
        """
        apiVersion: v1
        kind: Config
        clusters: [{name: c, cluster: {server: "\(cluster.url)"}}]
        users:
        - name: u
          user:
            exec:
              apiVersion: client.authentication.k8s.io/\(version)
              command: \(try BuiltProducts.msauth)
              args: [\(list)]
              interactiveMode: Never
        contexts: [{name: x, context: {cluster: c, user: u}}]
        current-context: x

        """,
        to: "home/kubeconfig-\(version)"
      )
    }
    let script = #"""
      import sys
      from kubernetes import client, config
      for file in sys.argv[1:]:
          api = config.new_client_from_config(file)
          assert client.CoreV1Api(api).list_namespace().items == []
      """#
    let files = [try kubeconfig("v1"), try kubeconfig("v1beta1", "--id-token")]
    let outcome = try await fixture.runner.run(program: ["/usr/bin/python3", "-c", script] + files)
    #expect(outcome.code == 0 && outcome.stderr == "", "\(outcome)")
    let sent = cluster.rawRequests.compactMap { request in
      request.split(separator: "\r\n").first { $0.lowercased().hasPrefix("authorization: ") }.map { $0.dropFirst(15) }
    }
    let tokens = ["access_token", "id_token"].compactMap { fixture.provider.proxy.values(of: $0).first }
    #expect(sent == tokens.map { "Bearer \($0)" }, "\(cluster.rawRequests)")
  }

  @Test("setup makes kubectl run msauth for a context or a cluster, and --remove undoes it")
  func setUp() async throws {
    var fixture = try await ProviderMockFixture.signedIn()
    let home = fixture.home
    let cluster = try ScriptedServer { _, _ in .json(#"{"kind": "APIVersions", "versions": ["v1"]}"#) }
    try FileManager.default.createDirectory(atPath: home.path("bin"), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: home.path("bin/msauth"),
      withDestinationPath: BuiltProducts.msauth
    )
    // Without TLS, kubectl sends no token.
    let proxy = try await TLSProxy(["cluster.example": cluster.port])
    fixture.runner.environment = proxy.environment.merging(["PATH": "\(home.path("bin")):/usr/bin:/bin"]) { $1 }
    let file = "home/.kube/config"
    let old = """
      apiVersion: v1
      kind: Config
      # A comment.
      clusters: [{name: c, cluster: {server: "https://cluster.example"}}]
      contexts: [{name: x@c, context: {cluster: c, user: admin}}]
      users: [{name: admin, user: {token: pssst}}]

      """
    try home.write(old, to: file)
    func setUp(_ arguments: String...) async throws -> CommandRunner.Outcome {
      try await fixture.runner.run(["setup", "kubectl"] + arguments + fixture.identity)
    }

    let missing = try await setUp("y")
    #expect(missing.code == 78 && missing.stderr.contains("kubectl config get-contexts"), "\(missing)")
    let printed = try await setUp("x@c", "--print", "--account", #"a,"b"#)
    #expect(printed.stdout.contains(#" '--exec-arg="a,""b"'"#), "\(printed)")
    #expect(
      printed.stdout.contains("kubectl config set-credentials msauth-x@c ") && home.read(file) == old,
      "\(printed)"
    )

    let added = try await setUp("x@c", "--id-token")
    #expect(added.code == 0 && added.stderr.contains("user was admin"), "\(added)")
    #expect(added.stderr.contains("the cluster accepts the token"), "\(added)")
    let token = try #require(fixture.provider.proxy.values(of: "id_token").first)
    #expect(cluster.rawRequests.last?.contains("Bearer \(token)\r\n") == true, "\(cluster.rawRequests)")
    #expect(home.read(file + ".bak") == old && !added.stderr.contains("pssst"))
    let text = home.read(file)
    let again = try await setUp("x@c", "--id-token")
    #expect(again.code == 0 && again.stderr.contains("nothing was written") && home.read(file) == text, "\(again)")

    let alone = try await setUp("c")
    #expect(alone.stderr.contains("accepts the token") && home.read(file)?.contains("msauth-c") == true, "\(alone)")
    for name in ["x@c", "c"] {
      let removed = try await setUp(name, "--remove")
      #expect(removed.code == 0 && removed.stderr.contains("no longer runs"), "\(removed)")
    }
    #expect(home.read(file)?.contains("msauth") == false && home.read(file)?.contains("pssst") == true)
    #expect(try await setUp("c", "--remove").stderr.contains("nothing was written"))
    fixture.runner.environment["PATH"] = home.path("bin")
    let without = try await setUp("c")
    #expect(without.code == 78 && without.stderr.contains("install kubectl"), "\(without)")
  }

  @Test("the requested API version is used, and an unknown one exits 78 first")
  func version() async throws {
    var fixture = try await ProviderMockFixture()
    fixture.runner.environment["KUBERNETES_EXEC_INFO"] = """
      {"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1alpha1","spec":{"interactive":true}}
      """
    let outcome = try await fixture.run("token", "--output", "exec-credential", "--interactive")
    #expect(outcome.code == 78 && outcome.stdout == "", "\(outcome)")
    #expect(outcome.stderr.contains("client.authentication.k8s.io/v1"), "\(outcome)")
  }
}
