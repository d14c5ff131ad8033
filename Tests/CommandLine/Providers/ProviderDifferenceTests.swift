import TestSupport
import Testing

@Suite("differences between providers", .limitedConcurrency)
struct ProviderDifferenceTests {
  private func login(
    at server: ScriptedServer,
    _ arguments: [String] = [],
    in runner: CommandRunner? = nil
  ) async throws -> PendingLogin {
    let identity = ["--authority", server.url, "--client-id", "fixture", "--store", "file", "--no-browser"]
    let words = ["login", "--scope", "email"] + identity + arguments
    return try await PendingLogin(try (runner ?? CommandRunner()).start(words))
  }

  private static let offline = #""scopes_supported": ["openid", "offline_access"],"#

  @Test(
    "the metadata and the options determine a parameter of the request",
    arguments: [
      // form_post is used with Microsoft or on request, not because it is listed.
      ("", [], "response_mode", "query"), ("", ["--response-mode", "form_post"], "response_mode", "form_post"),
      // offline_access is requested if listed, with prompt=consent unless a prompt is given.
      (offline, [], "scope", "email openid offline_access"), (offline, ["--prompt", "login"], "prompt", "login"),
      ("", ["--scope", "offline_access"], "prompt", "consent"),
    ] as [(String, [String], String, String?)]
  )
  func parameter(_ metadata: String, _ arguments: [String], _ name: String, _ expected: String?) async throws {
    let login = try await login(at: ScriptedProvider.start(metadata: metadata), arguments)
    defer { login.child.killGroup() }
    #expect(login.parameters[name] == expected)
  }

  @Test(
    "after a sign-out, login and consent are requested together, without prompts the provider doesn't list",
    arguments: [
      ("", "login consent"), (#""login", "consent", "none""#, "login consent"), (#""login""#, "login"),
      (#""consent", "select_account""#, "select_account consent"), (#""create""#, nil),
    ]
  )
  func promptsListed(_ prompts: String, _ expected: String?) async throws {
    let list = prompts.isEmpty ? "" : #""prompt_values_supported": [\#(prompts)],"#
    let server = try ScriptedProvider.start(metadata: list + Self.offline)
    let runner = try CommandRunner()
    let mark = "\(server.url.dropFirst("http://".count))/ subject"
    let cache = #"{"msauth":{"clients":{"fixture":{"signed_out":{"\#(mark)":"ada@example.com"}}}}}"#
    try runner.home.write(cache, to: Home.cacheFile)
    let login = try await login(at: server, in: runner)
    defer { login.child.killGroup() }
    #expect(login.parameters["prompt"] == expected)
  }
}
