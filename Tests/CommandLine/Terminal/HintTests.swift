import FoundationEssentials
import MSAuthCore
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
      ("token --client-id c --store file --scope a:read,b", "--client-id c --store file --scope a:read,b"),
      (#"token --client-id "it's" --store file"#, #"--client-id 'it'\''s' --store file"#),
      ("exec --client-id c --store file -- curl --account x", "--client-id c --store file"),
      (
        "token --client-id c --store file --account ada@x.example", "--client-id c --store file --account ada@x.example"
      ),
    ]
  )
  func signIn(line: String, options: String) async throws {
    let outcome = try await run(line).expect(2, "hint: run msauth login \(options)\n", stdout: "")
    #expect(outcome.stderr.contains("ada@x.example isn't signed in") == line.contains("ada@x.example"), "\(outcome)")
  }

  @Test(
    "a usage error names the mistake, its replacement or the help",
    arguments: [
      ("login --client-id c --scope openid,email", "separate scopes by spaces: 'openid email'"),
      ("login --client-id c --scope 'Mail.Read, api://x'", "by spaces: 'Mail.Read api://x'"),
      ("config set scopes User.Read,Mail.Read", "separate scopes by spaces: 'User.Read Mail.Read'"),
      ("config unset timeout --profile nosuch", "isn't a profile of"),
      ("config unset profiles --profile nosuch", "isn't a profile of"),
      ("config unset profiles.work", "run msauth config unset profiles --profile work\n"),
      ("config set profiles.work x", "use the keys of the profile with --profile work\n"),
      ("-V", "hint: use --version\n"), ("login --web", "use msauth login alone"),
      ("login --no-launch-browser", "use --no-browser"), ("login -u ada@x.example", "use --account USERNAME"),
      ("token --resource https://vault.azure.net", "use --scope URL/.default"),
      ("login --client-id c --scope ' '", "scope is empty"),
      ("login --client-id c --scope https://vault.azure.net/.default --scope a", "can't be combined with others"),
      ("graph GET /me", "use --method: msauth graph /me --method GET"), ("graph me -X POST", "hint: use --method\n"),
      ("serve --port 8080", "unknown option '--port'\n"), ("serve --port 8080", "use --listen 127.0.0.1:PORT"),
      ("accounts -o table", "for JSON, use --json"), ("token --scop a", "Did you mean '--scope'?"),
      ("mcp add https://mcp.example", "did you mean \"setup mcp\"?"),
      ("mcp remove https://mcp.example", "did you mean \"setup mcp --remove\"?"),
      ("config check", "did you mean \"config validate\"?"),
      ("-q status", "options follow the command: msauth status -q"),
      ("--profile work token -q", "options follow the command: msauth token -q --profile work"),
      ("--verbose token", "hint: use -v\n"), ("init --debug", "see msauth init --help"),
      ("status --username ada@x.example", "use --account USERNAME\n"),
      ("login -r https://x", "use --scope URL/.default\n"),
      ("login -t x.example", "use --tenant TENANT\n"), ("token --format json", "for JSON, use --json\n"),
      ("login ada@x.example", "use --account ada@x.example\n"), ("token User.Read", "use --scope User.Read\n"),
      ("login contoso.onmicrosoft.com", ", or --tenant contoso.onmicrosoft.com for that tenant\n"),
      ("switch --user ada", "use msauth switch USERNAME\n"), ("token --refresh", "use --force-refresh\n"),
      ("graph me --interactive", "use msauth graph alone, which signs in if needed\n"),
      ("config use-profile work", "did you mean \"switch --profile NAME\"?"),
      ("profile list", "did you mean \"config profiles\"?"),
      ("switch a@x.example b@x.example", "see msauth switch --help"),
      ("setup npm", "see msauth setup --help"), ("config rm store", "did you mean \"config unset\"?"),
      ("setup vscode", "did you mean \"setup mcp URL --client vscode\"?"), ("me", "did you mean \"graph me\"?"),
      ("exec --fd 3 git push -f", "write -- before the command: msauth exec --fd 3 -- git push -f\n"),
      ("token --bogus", "see msauth token --help"), ("status -o tsv", "for JSON, use --json\n"),
      ("", "usage: msauth COMMAND"), ("accounts --tenant t --issuer id.example", "can't be combined with --issuer"),
      ("login --client-id c --claims {", "hint: see msauth login --help\n"),
      ("login --client-id c --redirect-uri foo", "redirect"),
      ("login --client-id c --extra-query noequals", "--extra-query noequals isn't name=value"),
      ("login --client-id c --extra-query state=1", "extra parameter \"state\" is rejected"),
      ("graph --client-id c --endpoint http://evil.example", "--endpoint \"http://evil.example\""),
      ("graph me --client-id c --body me.json", "--body: me.json is neither JSON nor an existing file"),
      ("graph me --client-id c --body /", "--body: / can't be used:"),
      ("graph me --client-id c --body /dev/zero", "--body: /dev/zero is larger than 64 MiB"),
      ("graph me --client-id c --body {", "--body isn't JSON"),
      ("graph me --client-id c --body /dev/null", "--body isn't JSON"),
      ("graph --client-id c --endpoint graph.example", "did you mean https://graph.example?\n"),
      ("setup mcp mcp.example/mcp --client cursor", "did you mean https://mcp.example/mcp?\n"),
      ("setup mcp foo --client cursor", "https://"),
      ("setup mcp https://mcp.example/mcp --client emacs", "claude-code, cursor, vscode"),
      ("mcp connect --no-browser --timeout 5 https://mcp.example", "--timeout and --no-browser can't be combined"),
      ("doctor --mcp https://mcp.example/mcp --tenant https://id.example", "--tenant and --mcp can't be combined"),
      (
        "doctor --mcp https://mcp.example/mcp --authority https://id.example", "--authority and --mcp can't be combined"
      ),
      ("mcp token localhost:8080/mcp", "did you mean http://localhost:8080/mcp?\n"),
      ("init --profile mail --scope Mail.Read", "use msauth config set scopes SCOPE"),
      ("config set profiles {}", "set the keys of one profile with --profile NAME"),
      ("config set client_id ''", "client_id is empty"),
      ("config set tenant --profile w", "run msauth config unset tenant --profile w\n"),
      ("config set client_secret x --profile w", "run msauth config set client_secret --profile w, and enter it"),
      ("config get stor", "did you mean \"store\"?"),
      ("git-credential setup", "run msauth setup git SERVER"),
      ("setup git https://dev.azure.com/org/project", "did you mean https://dev.azure.com?\n"),
      ("setup git https://org@dev.azure.com/org/project", "did you mean https://dev.azure.com?\n"),
      ("setup git git@git.example:org/a.git", "did you mean https://git.example?\n"),
      ("setup git ssh://git@git.example:22/org/a.git", "did you mean https://git.example?\n"),
      ("setup docker x.azurecr.io/image:tag", "did you mean x.azurecr.io?\n"),
      ("login --device", "use --device-code\n"), ("switch --account ada", "use msauth switch USERNAME\n"),
      ("setup git https://a --scope api --remove", "run msauth setup git https://a --remove\n"),
      ("setup docker x.azurecr.io --remove --yes", "run msauth setup docker x.azurecr.io --remove\n"),
      ("setup kubectl c --remove --id-token", "run msauth setup kubectl c --remove\n"),
      ("setup kubectl c --remove --scope s", "run msauth setup kubectl c --remove\n"),
      ("docker-credential setup x.azurecr.io", "run msauth setup docker REGISTRY"),
      ("token --client-id c --account ''", "--account is empty"),
      ("token --client-id 'a b'", "--client-id \"a b\" can't be used"),
      ("token --client-id ''", "--client-id is empty"),
      ("config set store file --config ''", "--config is empty"),
      ("init --client-id c --issuer '' --yes", "--issuer is empty"),
      ("init --client-id c --authority '' --yes", "--authority is empty"),
      ("init --client-id c --yes", "--yes needs --tenant or --issuer\n"),
      ("token --client-id c --tenant ada@contoso.example", "name the tenant by its domain alone: contoso.example\n"),
      ("config set issuer ada@contoso.example", "name the tenant by its domain alone: contoso.example\n"),
      ("init --client-id c --tenant https://entra.microsoft.com/#view --yes", "copy the directory (tenant) ID"),
      ("init --client-id c --issuer x --yes", "--issuer \"x\" can't be used"),
      ("init --client-id c --tenant ftp://x --yes", "\"ftp://x\""),
      ("init --client-id c --issuer http://id.example --yes", "--issuer \"http://id.example\" can't be used"),
      ("init --client-id c --issuer contoso.onmicrosoft.com --yes", "use --tenant contoso.onmicrosoft.com\n"),
      ("config set issuer organizations --profile w", "use msauth config set tenant organizations --profile w\n"),
      (
        "config set tenant https://id.example --profile w",
        "use msauth config set issuer https://id.example --profile w\n"
      ),
      ("token --client-id c --tenant https://id.example", "use --authority https://id.example\n"),
      ("config set tenant Foo", "did you mean foo.onmicrosoft.com?\n"),
      ("init --client-id c --tenant login.microsoftonline.com --yes", "isn't a tenant's ID or domain\n"),
      (
        "init --client-id c --tenant t.example --yes",
        "error: --client-id \"c\" isn't a Microsoft application (client) ID\n"
      ),
    ]
  )
  func usage(line: String, words: String) async throws {
    try await run(line).expect(64, words, stdout: "")
  }

  /// Files with options of other programs, and such options in help texts.
  private static let others = [
    "ToolArguments.swift", "ToolQuery.swift", "InstalledBrowsers.swift", "GitConfiguration.swift", "SetupKubectl.swift",
    "SignInNotification.swift",
  ]
  private static let otherOptions = [
    "--claims-challenge", "--debug", "--decode", "--device", "--env-file", "--format", "--generate-completion-script",
    "--jq", "--no-launch-browser", "--port", "--refresh", "--token-file", "--user", "--username", "--verbose", "--web",
  ]

  @Test("every command, option and setting that a message names exists")
  func existing() async throws {
    let program = try await ProgramCommand.all
    let options = program.reduce(into: Set(Self.otherOptions)) { $0.formUnion($1.options) }
    let commands = program.map(\.description)
    let configuration = try await CommandRunner().run("config", "show", "--json").json
    let settings = configuration["settings"]?.array?.compactMap { $0["key"]?.string } ?? []

    for file in try FileManager.default.subpathsOfDirectory(atPath: Self.sources) where file.hasSuffix(".swift") {
      guard !file.contains(/^Demo\//), !Self.others.contains(where: file.hasSuffix) else { continue }
      let text = try Self.source(file)
      for match in text.matches(of: #/[ "(`](--[a-z][a-z-]+)/#) {
        #expect(options.contains(String(match.1)), "\(file): \(match.0)")
      }
      for match in text.matches(of: #/(?:run msauth |\["msauth", ")([a-z-]+)(?:(?: |", ")([a-z]+))?/#) {
        let names = [String(match.1), match.2.map { "\(match.1) \($0)" } ?? ""]
        #expect(names.contains(where: commands.contains), "\(file): \(match.0)")
      }
      for match in text.matches(of: #/\\\(setting: "([a-z_]+)"/#) {
        let option = "--" + match.1.replacing("_", with: "-")
        #expect(options.contains(option) || settings.contains(String(match.1)), "\(file): \(match.0)")
      }
    }
  }

  @Test("no message writes a value after an option or a command itself: only the renderer of commands quotes")
  func quoted() throws {
    for file in try FileManager.default.subpathsOfDirectory(atPath: Self.sources) where file.hasSuffix(".swift") {
      guard !file.contains(/^Demo\//), !Self.others.contains(where: file.hasSuffix) else { continue }
      for line in try Self.source(file).split(separator: "\n") where line.contains("hint") || line.contains("run ") {
        let value = #/(?:--[a-z-]+[ =]|(?:msauth|git|ssh|chmod|ls) [a-z -]*)\\\((?!command:)/#
        #expect(!line.contains(value), "\(file): \(line)")
      }
    }
  }

  private static let sources = BuiltProducts.root.appending(path: "Sources").path

  /// A file without comments.
  private static func source(_ file: String) throws -> String {
    let content = try #require(FileManager.default.contents(atPath: "\(sources)/\(file)"))
    return String(decoding: content, as: UTF8.self).split(separator: "\n")
      .filter { !$0.trimmingPrefix { $0 == " " }.hasPrefix("//") }.joined(separator: "\n")
  }
}
