import DemoProvider
import TestSupport
import Testing

@Suite("msauth login --device-code", .limitedConcurrency)
struct DeviceCodeCommandTests {
  @Test("msauth login --device-code prints the code, waits for the person, and signs in")
  func command() async throws {
    try await withCommand { fixture in
      let runner = fixture.runner
      let identity = [
        "--client-id", fixture.provider.clientID, "--authority", fixture.provider.oidcIssuer, "--store", "file",
        "--scope", "User.Read",
      ]
      let child = try runner.start(["login", "--device-code"] + identity)
      let (page, code) = try await child.stderrLine("code to enter") { line in
        // "msauth: open PAGE in any browser and enter the code CODE"
        let words = line.split(separator: " ").map(String.init)
        return line.contains(" and enter the code ") ? (words[2], words[words.count - 1]) : nil
      }
      #expect(page == fixture.provider.publicURL + "/devicelogin")
      #expect(try await ScriptedBrowser().walk(from: page, as: "ada", userCode: code).has("done"))
      let login = try await runner.outcome(of: child)
      #expect(login.code == 0 && login.stdout == "ada@contoso.example\n", "\(login)")
      let token = try await runner.outcome(of: runner.start(["token"] + identity))
      #expect(token.code == 0 && !token.stdout.isEmpty && token.stderr.isEmpty, "\(token)")
    }
  }

  @Test("the configured timeout ends it with exit 4")
  func timeout() async throws {
    try await withCommand { fixture in
      let runner = fixture.runner
      try runner.home.write(
        """
        {"client_id": "\(fixture.provider.clientID)", "store": "file", "timeout": 0.5, "scopes": ["openid"],
         "authorities": [{"type": "OIDC", "authority_url": "\(fixture.provider.oidcIssuer)"}]}
        """,
        to: "config/msauth/config.json"
      )
      let outcome = try await runner.run("login", "--device-code", by: .after(30))
      #expect(outcome.code == 4 && outcome.stderr.contains("nobody entered the code"), "\(outcome)")
    }
  }
}
