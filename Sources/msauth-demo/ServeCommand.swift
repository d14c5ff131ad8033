import ArgumentParser
import DemoProvider
import LibCrypto

/// Only the provider, for one's own experiments.
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Serve the identity provider until interrupted, and print what to type.",
    discussion: "Faults: " + Fault.allCases.map(\.rawValue).joined(separator: ", ")
  )

  @Option(help: "The port on 127.0.0.1; 0 takes a free one.")
  var port: UInt16 = 0

  @Option(
    name: .customLong("fault"),
    help: ArgumentHelp("What the provider does wrong; may be repeated.", valueName: "name")
  )
  var faults: [Fault] = []

  @Option(help: ArgumentHelp("How long an access token lives.", valueName: "seconds"))
  var tokenLifetime: Int64 = 3600

  @Option(help: "What ID tokens are signed with: RS256, PS256 or ES256.")
  var algorithm: SignatureAlgorithm = .rs256

  @Flag(inversion: .prefixedNo, help: "Accept each refresh token once; Microsoft Entra leaves them good.")
  var rotate = true

  func validate() throws {
    guard tokenLifetime > 0 else { throw ValidationError("--token-lifetime must be greater than 0.") }
  }

  func run() async throws {
    let provider = try await DemoProvider.start(
      DemoOptions(
        port: port,
        accessTokenLifetime: tokenLifetime,
        faults: Set(faults),
        algorithm: algorithm,
        rotates: rotate
      )
    )
    let client = "--client-id \(provider.clientID)"
    Screen.line(
      """
      The demo identity provider answers at \(provider.baseURL); Ctrl-C stops it.

      Like Microsoft Entra ID:
        msauth login --authority \(provider.entraAuthority()) --authority-type aad \(client)
        msauth graph --endpoint \(provider.graphURL) --authority \(provider.entraAuthority()) \
      --authority-type aad \(client)

      Like a plain OpenID provider:
        msauth login --authority \(provider.oidcIssuer) --authority-type oidc \(client)

      People: \(provider.people.map(\.username).joined(separator: ", ")); no password is asked.
      """
    )
    if !faults.isEmpty { Screen.line("Faults: \(faults.map(\.rawValue).joined(separator: ", "))") }
    // Ctrl-C ends the process; there is nothing to put away.
    while true { try await Task.sleep(for: .seconds(3600)) }
  }
}

extension Fault: ExpressibleByArgument {}
extension SignatureAlgorithm: ExpressibleByArgument {}
