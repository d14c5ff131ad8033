import Synchronization

/// PyPI's `oidc-provider-mock` behind a recording proxy.
///
/// It accepts a subject without a password, and any client ID, with or without a secret; its denial has no `state`.
package final class ProviderMock: Sendable {
  private let process: ForkedProviderMock
  /// Records all requests to ``authority``.
  package let proxy: RecordingProxy

  package static let username = "anna@example.org"
  package static let subject = "anna"

  package var authority: String { "http://127.0.0.1:\(proxy.port)" }

  /// Starts the provider and waits until it is ready.
  package init(_ options: [String] = []) async throws {
    let claims = """
      {"sub": "\(Self.subject)", "preferred_username": "\(Self.username)", "name": "Anna Example", \
      "email": "anna.mail@example.org"}
      """
    let process = try await ForkedProviderMock(["--user-claims", claims] + options)
    self.process = process
    proxy = try RecordingProxy(before: process.port)
    // Its port opens before it is ready, and closes if it rejects an option.
    do {
      _ = try await HTTPClient.send("GET", "http://127.0.0.1:\(process.port)/.well-known/openid-configuration")
    } catch {
      throw TestFailure("oidc-provider-mock \(options): \(error)\n\(process.log)")
    }
  }

  /// Submits its form for an authorization URL.
  package func submitForm(at url: String, as subject: String = ProviderMock.subject) async throws -> String {
    let page = try await HTTPClient.send("GET", url)
    guard page.status == 200, page.body.contains("<form") else {
      throw TestFailure("no form at \(url): \(page.status) \(page.body)")
    }
    let response = try await HTTPClient.post(url, form: ["sub": subject])
    guard let location = response.header("location") else {
      throw TestFailure("no redirect from \(url): \(response.status) \(response.body)")
    }
    return location
  }

  /// Follows the sign-in from the authorization URL to the final page.
  package func signIn(at url: String, as subject: String = ProviderMock.subject) async throws -> RedirectChain {
    try await RedirectChain.from(try await submitForm(at: url, as: subject))
  }

  package func userinfo(_ token: String) async throws -> HTTPClient.Response {
    try await HTTPClient.send("GET", "\(authority)/userinfo", headers: ["Authorization": "Bearer \(token)"])
  }

  /// The transferred values that must not appear elsewhere.
  package var secrets: Set<String> {
    ["code", "code_verifier", "access_token", "refresh_token", "id_token"].reduce(into: []) {
      $0.formUnion(proxy.values(of: $1))
    }
  }
}

/// An `oidc-provider-mock`, forked from a process that has imported it.
///
/// The forking process ends with this one, whose pipe it reads.
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
  let port: UInt16

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
      let line = lines.first { $0.hasPrefix("\(identifier) ") }
      return try line.map { line in
        guard let port = UInt16(line.drop { $0 != " " }.dropFirst()) else { throw TestFailure("no port: \(line)") }
        return port
      }
    }
    self.identifier = identifier
  }

  deinit {
    try? Self.forking.get().write("{\"stop\": \(identifier)}\n")
  }

  /// The recent output of all of them.
  var log: String { ((try? Self.forking.get().stderr) ?? "").suffix(4000).description }
}
