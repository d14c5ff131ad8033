import MSAuthCore
import TestSupport
import Testing

@Suite("msauth setup mcp", .limitedConcurrency)
struct SetupMCPTests {
  private let runner: CommandRunner
  private var home: Home { runner.home }

  init() throws { runner = try CommandRunner() }

  private static let url = "https://mcp.example.com/mcp"

  private func setUp(_ arguments: String...) async throws -> CommandRunner.Outcome { try await setUp(arguments) }

  private func setUp(_ arguments: [String], _ url: String = Self.url) async throws -> CommandRunner.Outcome {
    try await runner.run(["setup", "mcp", url] + arguments)
  }

  /// The options for a program, the file that it reads, and the member with its servers.
  private static let programs = [
    (["--client", "claude-code"], "home/.mcp.json", "mcpServers"),
    (["--client", "claude-code", "--user"], "home/.claude.json", "mcpServers"),
    (["--client", "cursor"], "home/.cursor/mcp.json", "mcpServers"),
    vscode,
    (["--client", "vscode", "--user"], "config/Code/User/mcp.json", "servers"),
  ]
  private static let vscode = (["--client", "vscode"], "home/.vscode/mcp.json", "servers")
  private static let options = ["--client-id", "c", "--cache-file", "cache.json"]

  /// A file that the user wrote.
  private static func file(_ member: String) -> String {
    "{\n\t\"\(member)\": {\"a\": {\"command\": \"x\"}},\n\t\"other\": 1.0\n}\n"
  }

  @Test("a server is added to the file that the program reads, which --remove restores", arguments: programs)
  func adding(program: [String], path: String, member: String) async throws {
    let old = Self.file(member)
    try home.write(old, to: path, mode: 0o640)
    let added = try await setUp(program + Self.options).expect(0, home.path(path), "msauth mcp login", Self.url)
    let text = home.read(path) ?? ""
    #expect(text.hasPrefix(old.prefix { $0 != "}" }) && text.hasSuffix("},\n\t\"other\": 1.0\n}\n"), "\(text)")
    let entry = try home.json(path)[member]?["mcp-example-com"]
    let options = ["--cache-file", home.path("home/cache.json"), "--client-id", "c"]
    #expect(entry?["command"] == "msauth" && entry?["type"] == "stdio")
    #expect(entry?["args"]?.array?.compactMap(\.string) == ["mcp", "connect"] + options + [Self.url], "\(text)")
    #expect(try added.json[member]?["mcp-example-com"] == entry, "\(added)")
    #expect(try home.read(path + ".bak") == old && home.mode(path) == 0o640)
    try await setUp(program + Self.options).expect(0, "nothing was written")
    #expect(home.read(path) == text)
    try await setUp(program + ["--remove"]).expect(0)
    #expect(home.read(path) == old)
    try await setUp(program + ["--remove"]).expect(0, "nothing was written")
  }

  @Test("a rerun keeps the user's own option, member and path")
  func editing() async throws {
    let (program, path, member) = Self.vscode
    try home.write(Self.file(member), to: path)
    try await setUp(program + Self.options).expect(0)
    let text = try #require(home.read(path))
    let edited = text.replacing("\"\(Self.url)\"", with: "\"\(Self.url)\", \"--no-browser\"")
      .replacing("\"type\"", with: "\"env\": {\"A\": \"1\"}, \"type\"").replacing("\"msauth\"", with: "\"/opt/msauth\"")
    try home.write(edited, to: path)
    try await setUp(program + Self.options).expect(0, "nothing was written")
    #expect(home.read(path) == edited)
    try await setUp(program + ["--client-id", "d"]).expect(0)
    let changed = try home.json(path)[member]?["mcp-example-com"]
    let arguments = ["mcp", "connect", "--client-id", "d", Self.url]
    #expect(changed?["env"] == ["A": "1"] && changed?["command"] == "/opt/msauth", "\(home.read(path) ?? "")")
    #expect(changed?["args"]?.array?.compactMap(\.string) == arguments)
  }

  @Test("another server of the same name is neither replaced nor removed")
  func otherServer() async throws {
    let (program, path, member) = Self.vscode
    try home.write(Self.file(member), to: path)
    try await setUp(program + Self.options).expect(0)
    let text = home.read(path)
    try await setUp(program + ["--name", "a"]).expect(78, "choose another --name")
    for option in ["--client-id=c", "--remove"] {
      try await setUp(program + [option], "https://mcp.example.com/other").expect(78, "mcp-example-com for \(Self.url)")
    }
    #expect(home.read(path) == text)
  }

  @Test("--print writes nothing; a file that isn't there is created; another file is left as it is")
  func files() async throws {
    let printed = try await setUp("--client", "vscode", "--print", "--name", "x")
    #expect(try printed.code == 0 && printed.json["servers"]?["x"]?["command"] == "msauth", "\(printed)")
    #expect(home.read("home/.vscode/mcp.json") == nil)
    #expect(try await setUp("--client", "vscode", "--name", "x").stdout == printed.stdout)
    #expect(try home.json("home/.vscode/mcp.json") == printed.json)
    for (text, cause) in [
      ("{\n  // comment\n}\n", "it has a comment at line 2, column 3"), ("[]", "it isn't a JSON object"),
      ("{\"servers\": 1}", "it isn't a JSON object"), ("{\n\"a\": x}", "a value was expected at line 2, column 6"),
    ] {
      try home.write(text, to: "home/.vscode/mcp.json")
      try await setUp("--client", "vscode").expect(78, "--print", "can be changed: \(cause)")
      #expect(home.read("home/.vscode/mcp.json") == text)
    }
    for text in ["", "\n", "{\"servers\": null}"] {
      try home.write(text, to: "home/.vscode/mcp.json")
      #expect(try await setUp("--client", "vscode", "--name", "x").stdout == printed.stdout)
      #expect(try home.json("home/.vscode/mcp.json") == printed.json)
    }
    try await setUp("--client", "cursor", "--user").expect(64)
    let secret = try await setUp("--client", "cursor", "--client-id", "c", "--client-secret-file", "none")
    #expect(secret.code == 64 && home.read("home/.cursor/mcp.json") == nil, "\(secret)")
    // Claude Code keeps megabytes there.
    let history = "\"history\": \"\(String(repeating: "x", count: 2 << 20))\"}\n"
    try home.write("{" + history, to: "home/.claude.json")
    try await setUp("--client", "claude-code", "--user").expect(0, "Claude Code can't get a token yet: ")
    let text = home.read("home/.claude.json") ?? ""
    #expect(text.hasPrefix("{" + history.dropLast(2) + ", \"mcpServers\": {") && text.hasSuffix("}}\n"))
  }

  @Test("--remove needs no settings")
  func removal() async throws {
    try home.write("{", to: "config/msauth/config.json")
    try home.write(#"{"credHelpers": {"registry.example": "msauth"}, "auths": {}}"#, to: "home/.docker/config.json")
    for (arguments, code) in [
      (["git", "https://git.example.com"], 0), (["docker", "contoso.azurecr.io"], 0),
      (["mcp", Self.url, "--client", "cursor"], 0), (["mail", ada, "--client", "mutt"], 0),
      // The confirmation of the registry is in that file.
      (["docker", "registry.example"], 78),
    ] {
      try await runner.run(["setup"] + arguments + ["--remove"]).expect(code)
    }
    #expect(try home.json("home/.docker/config.json")["credHelpers"] == [:])
  }

  @Test("a project's symbolic links lead to no file outside it; the user's own links do", arguments: [true, false])
  func links(isThere: Bool) async throws {
    let client = ["--client", "vscode"]
    if isThere { try home.write("{}\n", to: "dots/mcp.json") }
    try home.write("", to: "dots/other")
    for (path, target, command) in [
      ("home/.vscode/mcp.json", "../../dots/mcp.json", client), ("home/.vscode", home.path("dots"), client),
      ("home/.mcp.json", home.path("dots/mcp.json"), ["--client", "claude-code"]),
    ] {
      try home.link(path, to: target)
      try await runner.run(["setup", "mcp", Self.url] + command).expect(78, "outside the project")
      try FileManager.default.removeItem(atPath: home.path(path.hasPrefix("home/.vscode") ? "home/.vscode" : path))
    }
    #expect(home.read("dots/mcp.json") == (isThere ? "{}\n" : nil))
    try home.link("config/Code/User/mcp.json", to: home.path("dots/mcp.json"))
    try await setUp("--client", "vscode", "--user").expect(0)
    try home.link("home/.vscode/mcp.json", to: "../inside.json")
    try await setUp("--client", "vscode").expect(0)
    #expect(home.read("home/inside.json") == home.read("dots/mcp.json"))
  }
}
