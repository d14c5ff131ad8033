import TestSupport
import Testing

@Suite("hints repeat the command line", .limitedConcurrency)
struct HintTests {
  /// A command line, its exit code, and expected parts of stderr.
  struct Call: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var exit: Int32
    var says: [String]

    init(_ line: String, exit: Int32 = 64, says: String...) {
      (testDescription, self.exit, self.says) = (line, exit, says)
    }
  }

  private func expect(_ call: Call) async throws {
    let home = try Home()
    let outcome = try await CommandRunner(home: home).run(program: [
      "/bin/sh", "-c", #""$0" \#(call.testDescription)"#, try BuiltProducts.msauth,
    ])
    #expect(outcome.code == call.exit && outcome.stdout.isEmpty, "\(outcome)")
    for words in call.says { #expect(outcome.stderr.contains(words), "\(outcome)") }
  }

  @Test(
    "a sign-in hint names registration, account and scopes, quoted for a shell",
    arguments: [
      Call(
        "token --client-id other --store=file --scope Mail.Read",
        exit: 2,
        says: "hint: run msauth login --client-id other --store file --scope Mail.Read\n"
      ),
      Call(
        #"token --client-id "it's" --store file"#,
        exit: 2,
        says: #"hint: run msauth login --client-id 'it'\''s' --store file"# + "\n"
      ),
      Call(
        "exec --client-id c --store file -- curl --account x",
        exit: 2,
        says: "hint: run msauth login --client-id c --store file\n"
      ),
      Call(
        "token --client-id c --store file --account ada@example.org",
        exit: 2,
        says: "ada@example.org is not signed in",
        "msauth login --client-id c --store file --account ada@example.org"
      ),
    ]
  )
  func signIn(call: Call) async throws { try await expect(call) }

  @Test(
    "a usage error's hint names the replacement or the help",
    arguments: [
      Call("login --client-id c --scope 'openid email'", says: "has a space; scopes are separate values"),
      Call("login --client-id c --claims {", says: "hint: see msauth login --help\n"),
      Call("config set profiles {}", says: "write the keys of one with --profile NAME"),
      Call("config set client_id ''", says: "client_id is empty"),
      Call("config get stor", says: "did you mean \"store\"?"),
      Call("git-credential remove https://git.example", says: "setup SERVER --remove undoes a setup"),
      Call("token --client-id c --account ''", says: "--account is empty"),
      Call("token --client-id 'a b'", says: "--client-id \"a b\" cannot be used"),
      Call("token --client-id ''", says: "--client-id is empty"),
      Call("token --client-id c --cache-file ''", says: "--cache-file is empty"),
      Call("config set store file --config ''", says: "--config is empty"),
      Call("init --client-id '' --issuer https://id.example --yes", says: "--client-id is empty"),
      Call("init --client-id c --issuer '' --yes", says: "--authority is empty"),
      Call("init --client-id c --tenant t.example --ca-file '' --yes", says: "--ca-file is empty"),
      Call("init --client-id c --yes", says: "missing: --tenant or --issuer\n"),
      Call("init --client-id c --tenant ftp://x --yes", says: "\"ftp://x\""),
    ]
  )
  func usage(call: Call) async throws { try await expect(call) }
}
