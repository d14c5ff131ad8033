/// Real host names for `msauth`: a proxy that answers for them with TLS and leads to servers on this computer.
///
/// The certificate is made for the occasion, and trusted by who gets ``environment`` alone.
package final class TLSProxy: Sendable {
  private let program: BackgroundProgram
  private let home: Home
  /// What `msauth` needs in its environment to come through here, and to nothing else.
  package let environment: [String: String]

  /// Starts the proxy.
  ///
  /// - Parameter hosts: The port on 127.0.0.1 that answers, by host name.
  /// - Throws: ``TestFailure`` when the certificate cannot be made or the proxy does not start.
  package init(_ hosts: [String: UInt16]) async throws {
    home = try Home()
    let (certificate, key) = (home.path("data/certificate.pem"), home.path("data/key.pem"))
    let names = hosts.keys.sorted().map { "DNS:\($0)" }.joined(separator: ",")
    let making = try ChildProcess(
      [
        "/usr/bin/openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days",
        "2",
        "-subj", "/CN=msauth-test", "-addext", "subjectAltName=\(names)", "-keyout", key, "-out", certificate,
      ],
      environment: home.environment
    )
    guard try await making.end(by: .after(stepTimeout)) == .exited(0) else {
      throw TestFailure("openssl made no certificate: \(making.stderr)")
    }
    let script = BuiltProducts.fixture("tls-proxy.py")
    program = try BackgroundProgram(
      [try BuiltProducts.python(), script, certificate, key] + hosts.map { "\($0.key)=\($0.value)" },
      environment: ["PATH": "/usr/bin:/bin", "PYTHONUNBUFFERED": "1", "LANG": "C.UTF-8"]
    )
    let port = try await program.ready("the TLS proxy") { [program] in
      program.stdout.contains("\n") ? Int(program.stdout.prefix { $0 != "\n" }) : nil
    }
    environment = ["https_proxy": "http://127.0.0.1:\(port)", "SSL_CERT_FILE": certificate]
  }
}
