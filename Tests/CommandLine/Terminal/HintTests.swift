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

  @Test("a command's profile is named as its option, even if this command has none")
  func settings() async throws {
    let runner = try CommandRunner()
    try runner.home.write(
      #"{"profiles": {"work": {"authority": "https://id.example", "tenant": "common"}}}"#,
      to: "config/msauth/config.json"
    )
    let outcome = try await runner.run("config", "validate")
    #expect(outcome.code == 78 && outcome.stdout.contains(" tenant --profile work"), "\(outcome)")
  }

  /// Files with options of other programs, and such options in help texts.
  private static let others: Set = [
    "ToolArguments.swift", "ToolQuery.swift", "InstalledBrowsers.swift", "GitConfiguration.swift", "Kubeconfig.swift",
    "SetupKubectl.swift", "SignInNotification.swift",
  ]
  private static let otherOptions: Set = [
    "--claims-challenge", "--debug", "--decode", "--device", "--format", "--generate-completion-script", "--jq",
    "--no-launch-browser", "--port", "--refresh", "--service-principal", "--token-file", "--verbose", "--web",
  ]

  @Test("every command, option and setting that a message names exists")
  func existing() async throws {
    let program = try await ProgramCommand.all
    let options = program.reduce(into: Set<String>()) { $0.formUnion($1.options) }
    let commands = program.map(\.description)
    let configuration = try await CommandRunner().run("config", "show", "--json").json
    let settings = configuration["settings"]?.array?.compactMap { $0["key"]?.string } ?? []

    var (others, otherOptions) = (Set<String>(), Set<String>())
    for file in try FileManager.default.subpathsOfDirectory(atPath: Self.sources) where file.hasSuffix(".swift") {
      guard !file.contains(/^Demo\//) else { continue }
      let text = try Self.source(file).replacing(/(?:Invocation\.)?\bmsauth\("/, with: #"["msauth", ""#)
      let unknown = Set(text.matches(of: #/[ "(`](--[a-z][a-z-]+)/#).map { String($0.1) }).subtracting(options)
      if let other = Self.others.first(where: file.hasSuffix) {
        if !unknown.isEmpty { others.insert(other) }
        continue
      }
      #expect(unknown.isSubset(of: Self.otherOptions), "\(file): \(unknown)")
      otherOptions.formUnion(unknown)
      for match in text.matches(of: #/(?:run msauth |\["msauth", ")([a-z-]+)(?:(?: |", ")([a-z]+))?/#) {
        let names = [String(match.1), match.2.map { "\(match.1) \($0)" } ?? ""]
        #expect(names.contains(where: commands.contains), "\(file): \(match.0)")
      }
      for match in text.matches(of: #/\\\(setting: "([a-z_]+)"/#) {
        let option = "--" + match.1.replacing("_", with: "-")
        #expect(options.contains(option) || settings.contains(String(match.1)), "\(file): \(match.0)")
      }
    }
    #expect(others == Self.others && otherOptions == Self.otherOptions, "an exception that isn't needed")
  }

  @Test("no message writes a value after an option or a command itself: only the renderer of commands quotes")
  func quoted() throws {
    for file in try FileManager.default.subpathsOfDirectory(atPath: Self.sources) where file.hasSuffix(".swift") {
      guard !file.contains(/^Demo\//) else { continue }
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
