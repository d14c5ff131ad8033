/// A TLS proxy that serves real host names from local servers, with a certificate that only ``environment`` trusts.
package final class TLSProxy: Sendable {
  private let program: BackgroundProgram
  private let home: Home
  /// The environment that makes `msauth` use only this proxy.
  package let environment: [String: String]

  /// Starts the proxy with the local port of each host name.
  package init(_ hosts: [String: UInt16]) async throws {
    home = try Home()
    let names = hosts.keys.sorted().map { "DNS:\($0)" }.joined(separator: ",")
    let authority = try await Self.certificate(in: home, "authority")
    let issuer = ["-CA", authority.certificate, "-CAkey", authority.key]
    let extensions = ["-addext", "basicConstraints=CA:FALSE", "-addext", "subjectAltName=\(names)"]
    let (certificate, key) = try await Self.certificate(in: home, "server", issuer + extensions)
    let script = BuiltProducts.fixture("tls-proxy.py")
    program = try BackgroundProgram(
      [try BuiltProducts.python(), script, certificate, key] + hosts.map { "\($0.key)=\($0.value)" },
      environment: ["PATH": "/usr/bin:/bin", "PYTHONUNBUFFERED": "1", "LANG": "C.UTF-8"]
    )
    let port = try await program.ready("the TLS proxy") { [program] in
      program.stdout.contains("\n") ? Int(program.stdout.prefix { $0 != "\n" }) : nil
    }
    environment = ["https_proxy": "http://127.0.0.1:\(port)", "SSL_CERT_FILE": authority.certificate]
  }

  package static func certificate(
    in home: Home,
    _ name: String,
    _ options: [String] = []
  ) async throws -> (certificate: String, key: String) {
    let (certificate, key) = (home.path("data/\(name).pem"), home.path("data/\(name).key"))
    try await ChildProcess.output(
      of: [
        "/usr/bin/openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days",
        "2", "-subj", "/CN=msauth-test \(name)", "-keyout", key, "-out", certificate,
      ] + options
    )
    return (certificate, key)
  }
}
