import Synchronization

/// PyPI's `oidc-provider-mock`: an OpenID provider that is not ours, with a proxy on its wire.
///
/// It asks for a subject instead of a password and offers a button to deny. Its denial carries no `state`, so that a
/// careful client does not take it for an answer. It wants a secret of every client, and takes any.
package final class ProviderMock: Sendable {
  private let process: ForkedProviderMock
  /// What was said between it and everybody who spoke to ``authority``.
  package let proxy: RecordingProxy

  /// The user that it knows.
  package static let username = "anna@example.org"
  /// That user's subject.
  package static let subject = "anna"

  /// The issuer, as `--authority` takes it.
  package var authority: String { "http://127.0.0.1:\(proxy.port)" }

  /// Starts the provider on a free port and waits until it answers.
  ///
  /// - Parameter options: More of its command line, such as `--token-max-age 1`.
  /// - Throws: ``TestFailure`` with the program's output when it does not serve.
  package init(_ options: [String] = []) async throws {
    let claims = """
      {"sub": "\(Self.subject)", "preferred_username": "\(Self.username)", "name": "Anna Example", \
      "email": "anna.mail@example.org"}
      """
    let process = try await ForkedProviderMock(["--user-claims", claims] + options)
    self.process = process
    proxy = try RecordingProxy(before: process.port)
    // Its port is open before it serves; an option that it refuses closes it.
    do {
      _ = try await HTTPClient.send("GET", "http://127.0.0.1:\(process.port)/.well-known/openid-configuration")
    } catch {
      throw TestFailure("oidc-provider-mock \(options): \(error)\n\(process.log)")
    }
  }

  /// Submits its form for an authorization URL: by the user, or by a click on "Deny".
  ///
  /// - Parameters:
  ///   - url: The authorization URL, as msauth printed it.
  ///   - subject: Who signs in; nil denies.
  /// - Returns: Where it sends the browser.
  /// - Throws: ``TestFailure`` when it sends the browser nowhere.
  package func submitForm(at url: String, as subject: String? = ProviderMock.subject) async throws -> String {
    let page = try await HTTPClient.send("GET", url)
    guard page.status == 200, page.body.contains("<form") else {
      throw TestFailure("no form at \(url): \(page.status) \(page.body)")
    }
    let answer = try await HTTPClient.post(url, form: subject.map { ["sub": $0] } ?? ["action": "deny"])
    guard let location = answer.header("location") else {
      throw TestFailure("no redirect from \(url): \(answer.status) \(answer.body)")
    }
    return location
  }

  /// Walks from the authorization URL to the page at the end, as a browser would.
  ///
  /// - Parameters:
  ///   - url: The authorization URL, as msauth printed it.
  ///   - subject: Who signs in.
  /// - Returns: The page, and the answers on the way to it.
  /// - Throws: ``TestFailure`` when it does not get there.
  package func signIn(at url: String, as subject: String = ProviderMock.subject) async throws -> RedirectChain {
    try await RedirectChain.from(try await submitForm(at: url, as: subject))
  }

  /// Asks its userinfo endpoint.
  ///
  /// - Parameter token: An access token.
  /// - Returns: The answer, 200 when the token is good.
  /// - Throws: ``TestFailure`` when there is no answer.
  package func userinfo(_ token: String) async throws -> HTTPClient.Response {
    try await HTTPClient.send("GET", "\(authority)/userinfo", headers: ["Authorization": "Bearer \(token)"])
  }

  /// The values that crossed the wire and must be nowhere else.
  package var secrets: Set<String> {
    ["code", "code_verifier", "access_token", "refresh_token", "id_token"].reduce(into: []) {
      $0.formUnion(proxy.values(of: $1))
    }
  }
}

/// The process of one `oidc-provider-mock`, forked from one that has imported it; it ends with this object.
///
/// The process that forks reads from a pipe that ends with this process, however that ends.
final class ForkedProviderMock: Sendable {
  private static let forking = Result {
    try ChildProcess(
      [BuiltProducts.python(), BuiltProducts.fixture("provider-mocks.py")],
      environment: ["PATH": "/usr/bin:/bin", "PYTHONWARNINGS": "ignore", "LANG": "C.UTF-8"],
      holdsInput: true
    )
  }
  private static let started = Atomic(0)

  private let identifier: Int
  /// Where it listens, on 127.0.0.1.
  let port: UInt16

  /// Starts it.
  ///
  /// - Parameter options: Its command line.
  /// - Throws: ``TestFailure`` with the output of all of them, when it does not start.
  init(_ options: [String]) async throws {
    let process = try Self.forking.get()
    let identifier = Self.started.wrappingAdd(1, ordering: .relaxed).newValue
    let request: JSONValue = [
      "start": .number(JSONValue.Number(identifier)), "options": .array(options.map { .string($0) }),
    ]
    try process.write(request.serializedString() + "\n")
    port = try await eventually("an oidc-provider-mock") {
      if let ending = process.ending { throw TestFailure("provider-mocks.py has ended: \(ending)\n\(process.stderr)") }
      let lines = process.stdout.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      let answer = lines.first { $0.hasPrefix("\(identifier) ") }
      return try answer.map { line in
        guard let port = UInt16(line.drop { $0 != " " }.dropFirst()) else { throw TestFailure("no port: \(line)") }
        return port
      }
    }
    self.identifier = identifier
  }

  deinit {
    try? Self.forking.get().write("{\"stop\": \(identifier)}\n")
  }

  /// What all of them have written lately.
  var log: String { ((try? Self.forking.get().stderr) ?? "").suffix(4000).description }
}
