import TestSupport
import Testing

@Suite("differences between providers", .limitedConcurrency)
struct ProviderDifferenceTests {
  private func login(
    at server: ScriptedServer,
    _ arguments: String...
  ) async throws -> (login: PendingLogin, runner: CommandRunner) {
    let runner = CommandRunner(home: try Home())
    let identity = ["--authority", server.url, "--client-id", "fixture", "--store", "file", "--no-browser"]
    return (try await PendingLogin(runner.start(["login", "--scope", "email"] + identity + arguments)), runner)
  }

  @Test("form_post is used with Microsoft or on request, not because it is listed")
  func responseMode() async throws {
    let server = try ScriptedProvider.start()
    let usual = try await login(at: server).login
    defer { usual.child.killGroup() }
    #expect(usual.parameters["response_mode"] == "query")
    let asked = try await login(at: server, "--response-mode", "form_post").login
    defer { asked.child.killGroup() }
    #expect(asked.parameters["response_mode"] == "form_post")
  }

  @Test(
    "offline_access is requested if listed, with prompt=consent unless a prompt is given",
    arguments: [
      ("", [], nil, false), (#""scopes_supported": ["openid", "offline_access"],"#, [], "consent", true),
      (#""scopes_supported": ["openid", "offline_access"],"#, ["--prompt", "login"], "login", true),
      ("", ["--scope", "offline_access"], "consent", true),
    ] as [(String, [String], String?, Bool)]
  )
  func offlineAccess(_ metadata: String, _ arguments: [String], _ prompt: String?, _ isAsked: Bool) async throws {
    let server = try ScriptedProvider.start(metadata: metadata)
    let runner = CommandRunner(home: try Home())
    let identity = ["--authority", server.url, "--client-id", "fixture", "--store", "file", "--no-browser"]
    let login = try await PendingLogin(runner.start(["login", "--scope", "email"] + identity + arguments))
    defer { login.child.killGroup() }
    #expect(login.parameters["prompt"] == prompt)
    #expect(login.parameters["scope"]?.split(separator: " ").contains("offline_access") == isAsked)
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
    let server = try ScriptedProvider.start(metadata: list + #""scopes_supported": ["openid", "offline_access"],"#)
    let runner = CommandRunner(home: try Home())
    let mark = "\(server.url.dropFirst("http://".count))/ somebody"
    try runner.home.write(
      #"{"msauth":{"clients":{"fixture":{"signed_out":{"\#(mark)":"ada@example.com"}}}}}"#,
      to: ProviderMockFixture.cacheFile
    )
    let identity = ["--authority", server.url, "--client-id", "fixture", "--store", "file", "--no-browser"]
    let login = try await PendingLogin(runner.start(["login", "--scope", "email"] + identity))
    defer { login.child.killGroup() }
    #expect(login.parameters["prompt"] == expected)
  }

  @Test("an error with the right state ends the sign-in in either response mode", arguments: ["query", "form_post"])
  func errorInOtherMode(mode: String) async throws {
    let server = try ScriptedProvider.start()
    let (login, runner) = try await login(at: server, "--response-mode", mode)
    let state = try #require(login.parameters["state"])
    func send(_ fields: [String: String]) async throws -> HTTPClient.Response {
      mode == "query"
        ? try await HTTPClient.post(login.redirectURI, form: fields)
        : try await HTTPClient.send("GET", login.redirect(fields))
    }
    // Neither a code in the wrong response mode nor an error without the state has an effect.
    #expect(try await send(["code": "stolen", "state": state]).status == 405)
    #expect(try await send(["error": "access_denied", "state": "wrong"]).status == 400)
    #expect(login.child.ending == nil)
    #expect(try await send(["error": "access_denied", "state": state]).status == 303)
    let outcome = try await runner.outcome(of: login.child)
    #expect(outcome.code == 3, "\(outcome)")
  }

  @Test("endpoints with empty path segments are used unchanged")
  func emptySegments() async throws {
    let server = try ScriptedServer { request, base in
      switch request.path {
      case "/.well-known/openid-configuration":
        .json(
          """
          {"issuer": "\(base)", "authorization_endpoint": "\(base)//authorize", "token_endpoint": "\(base)//api//token",
           "jwks_uri": "\(base)//keys", "response_types_supported": ["code"], "subject_types_supported": ["public"],
           "id_token_signing_alg_values_supported": ["RS256"]}
          """
        )
      case "//api//token": .json(#"{"error": "invalid_grant", "error_description": "it was reached"}"#, status: 400)
      default: .init(404)
      }
    }
    let (login, runner) = try await login(at: server)
    #expect(login.url.hasPrefix(server.url + "//authorize?"), "\(login.url)")
    let state = try #require(login.parameters["state"])
    _ = try await HTTPClient.send("GET", login.redirect(["code": "code", "state": state]))
    let outcome = try await runner.outcome(of: login.child)
    #expect(outcome.stderr.contains("it was reached"), "\(outcome)")
  }
}
