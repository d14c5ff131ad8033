import TestSupport
import Testing

@Suite("hints repeat the command line", .limitedConcurrency)
struct HintTests {
  private func run(_ line: String) async throws -> CommandRunner.Outcome {
    try await CommandRunner().run(program: ["/bin/sh", "-c", #""$0" \#(line)"#, try BuiltProducts.msauth])
  }

  @Test(
    "a sign-in hint names registration, account and scopes, quoted for a shell",
    arguments: [
      ("token --client-id c --store=file --scope Mail.Read", "--client-id c --store file --scope Mail.Read"),
      (#"token --client-id "it's" --store file"#, #"--client-id 'it'\''s' --store file"#),
      ("exec --client-id c --store file -- curl --account x", "--client-id c --store file"),
      (
        "token --client-id c --store file --account ada@x.example", "--client-id c --store file --account ada@x.example"
      ),
    ]
  )
  func signIn(line: String, options: String) async throws {
    let outcome = try await run(line)
    #expect(outcome.code == 2 && outcome.stdout.isEmpty, "\(outcome)")
    #expect(outcome.stderr.contains("hint: run msauth login \(options)\n"), "\(outcome)")
    #expect(outcome.stderr.contains("ada@x.example is not signed in") == line.contains("ada@x.example"), "\(outcome)")
  }

  @Test(
    "a usage error's hint names the replacement or the help",
    arguments: [
      ("login --client-id c --scope 'openid email'", "has a space; scopes are separate values"),
      ("login --client-id c --claims {", "hint: see msauth login --help\n"),
      ("config set profiles {}", "set the keys of one profile with --profile NAME"),
      ("config set client_id ''", "client_id is empty"),
      ("config get stor", "did you mean \"store\"?"),
      ("git-credential remove https://git.example", "to undo a setup, use setup --remove SERVER"),
      ("token --client-id c --account ''", "--account is empty"),
      ("token --client-id 'a b'", "--client-id \"a b\" cannot be used"),
      ("token --client-id ''", "--client-id is empty"),
      ("token --client-id c --cache-file ''", "--cache-file is empty"),
      ("config set store file --config ''", "--config is empty"),
      ("init --client-id '' --issuer https://id.example --yes", "--client-id is empty"),
      ("init --client-id c --issuer '' --yes", "--authority is empty"),
      ("init --client-id c --tenant t.example --ca-file '' --yes", "--ca-file is empty"),
      ("init --client-id c --yes", "missing: --tenant or --issuer\n"),
      ("init --client-id c --tenant ftp://x --yes", "\"ftp://x\""),
    ]
  )
  func usage(line: String, words: String) async throws {
    let outcome = try await run(line)
    #expect(outcome.code == 64 && outcome.stdout.isEmpty && outcome.stderr.contains(words), "\(outcome)")
  }
}
