/// OpenSSL's test server with its own certificate, on 127.0.0.1.
package final class TLSServer: Sendable {
  package let port: Int
  package let certificate: String
  private let home: Home
  private let program: BackgroundProgram

  package var url: String { "https://127.0.0.1:\(port)/" }

  package init(names: String, madeAt time: String = "now", options: String = "") async throws {
    home = try Home()
    certificate = home.path("cert.pem")
    let command = """
      cd '\(home.folder.path)' && faketime '\(time)' openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \
      -keyout key.pem -out cert.pem -days 2 -subj /CN=test -addext subjectAltName=\(names) && \
      exec openssl s_server -www -accept 127.0.0.1:0 -key key.pem -cert cert.pem \(options)
      """
    let program = try BackgroundProgram(["sh", "-c", command], environment: ChildProcess.minimalEnvironment)
    self.program = program
    port = try await program.ready("openssl s_server") {
      program.stdout.split(separator: "\n").first { $0.hasPrefix("ACCEPT ") }
        .flatMap { $0.split(separator: ":").last }.flatMap { Int($0) }
    }
  }
}
