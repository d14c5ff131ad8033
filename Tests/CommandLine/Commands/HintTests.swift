import TestSupport
import Testing

@Suite("hints repeat the command line", .limitedConcurrency)
struct HintTests {
  /// A command line, its exit code, and expected parts of stderr.
  struct Call: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var exit: Int32
    var prints: [String]

    init(_ line: String, exit: Int32 = 64, prints: String...) {
      (testDescription, self.exit, self.prints) = (line, exit, prints)
    }
  }

  private func expect(_ call: Call) async throws {
    let home = try Home()
    let outcome = try await CommandRunner(home: home).run(program: [
      "/bin/sh", "-c", #""$0" \#(call.testDescription)"#, try BuiltProducts.msauth,
    ])
    #expect(outcome.code == call.exit && outcome.stdout.isEmpty, "\(outcome)")
    for words in call.prints { #expect(outcome.stderr.contains(words), "\(outcome)") }
  }

  @Test(
    "a sign-in hint names registration, account and scopes, quoted for a shell",
    arguments: [
      Call(
        "token --client-id other --store=file --scope Mail.Read",
        exit: 2,
        prints: "hint: run msauth login --client-id other --store file --scope Mail.Read\n"
      ),
      Call(
        #"token --client-id "it's" --store file"#,
        exit: 2,
        prints: #"hint: run msauth login --client-id 'it'\''s' --store file"# + "\n"
      ),
      Call(
        "exec --client-id c --store file -- curl --account x",
        exit: 2,
        prints: "hint: run msauth login --client-id c --store file\n"
      ),
      Call(
        "token --client-id c --store file --account ada@example.org",
        exit: 2,
        prints: "ada@example.org is not signed in",
        "msauth login --client-id c --store file --account ada@example.org"
      ),
    ]
  )
  func signIn(call: Call) async throws { try await expect(call) }

  @Test(
    "a usage error's hint names the replacement or the help",
    arguments: [
      Call("login --client-id c --scope 'openid email'", prints: "has a space; scopes are separate values"),
      Call("login --client-id c --claims {", prints: "hint: see msauth login --help\n"),
      Call("config set profiles {}", prints: "set the keys of one profile with --profile NAME"),
      Call("config set client_id ''", prints: "client_id is empty"),
      Call("config get stor", prints: "did you mean \"store\"?"),
      Call("git-credential remove https://git.example", prints: "to undo a setup, use setup --remove SERVER"),
      Call("token --client-id c --account ''", prints: "--account is empty"),
      Call("token --client-id 'a b'", prints: "--client-id \"a b\" cannot be used"),
      Call("token --client-id ''", prints: "--client-id is empty"),
      Call("token --client-id c --cache-file ''", prints: "--cache-file is empty"),
      Call("config set store file --config ''", prints: "--config is empty"),
      Call("init --client-id '' --issuer https://id.example --yes", prints: "--client-id is empty"),
      Call("init --client-id c --issuer '' --yes", prints: "--authority is empty"),
      Call("init --client-id c --tenant t.example --ca-file '' --yes", prints: "--ca-file is empty"),
      Call("init --client-id c --yes", prints: "missing: --tenant or --issuer\n"),
      Call("init --client-id c --tenant ftp://x --yes", prints: "\"ftp://x\""),
    ]
  )
  func usage(call: Call) async throws { try await expect(call) }
}
