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
