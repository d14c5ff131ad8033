import MSAuth
import MSAuthCore
import MSAuthTesting
import Synchronization
import TestSupport
import Testing

@testable import MSAuthAzure

@Suite("arguments and output of az and azd")
struct ToolTests {
  @Test("arguments are parsed like az's")
  func arguments() throws {
    let arguments = try ToolArguments([
      "account", "get-access-token", "-o=json", "--scope", "a", "b", "-t", "T", "--subscription=S",
      "--only-show-errors",
    ])
    #expect(arguments.words == ["account", "get-access-token"])
    #expect(arguments["output"] == "json" && arguments.all("scope") == ["a", "b"] && arguments["tenant"] == "T")
    #expect(arguments["subscription"] == "S" && arguments["query"] == nil)
    let short = try ToolArguments(["--out", "TSV", "--sub=S", "--resource-t", "ARM", "--ten", "T"])
    #expect(short["output"] == "tsv" && short["resource-type"] == "arm")
    #expect(short["subscription"] == "S" && short["tenant"] == "T")
    for options in [["--res", "R"], ["--unknown"], ["--scope"], ["--scope", "--tenant", "T"]] {
      #expect(throws: Rejection.self) { try ToolArguments(["account"] + options) }
    }
  }

  @Test(
    "the cloud and its names are those of the authority",
    arguments: [
      ("https://login.microsoftonline.com/common", "AzureCloud", "azure.com", "windows.net", "microsoft.com"),
      ("https://login.windows.net/t.example", "AzureCloud", "azure.com", "windows.net", "microsoft.com"),
      (
        "https://login.microsoftonline.us/common", "AzureUSGovernment", "usgovcloudapi.net", "usgovcloudapi.net",
        "microsoft.us"
      ),
      (
        "https://login.partner.microsoftonline.cn/common", "AzureChinaCloud", "chinacloudapi.cn", "chinacloudapi.cn",
        nil
      ),
    ] as [(String, String, String, String, String?)]
  )
  func clouds(authority: String, name: String, domain: String, coreDomain: String, graph: String?) throws {
    let cloud = try Authority(authority).azureCloud
    #expect(cloud.name == name && cloud.management == "https://management.\(domain)")
    #expect(cloud.resources["arm"] == "https://management.core.\(coreDomain)/")
    let account = ToolOutput.account("ada", tenant: "t", subscription: nil, cloud: cloud.name)
    #expect(account["environmentName"]?.string == name)
    #expect(ToolOutput.listed(account)["cloudName"]?.string == name)
    guard let graph else { return }
    #expect(cloud.resources["ms-graph"] == "https://graph.\(graph)/" && Authority.isGraph("https://graph.\(graph)/x"))
  }

  @Test("Microsoft Graph's hosts are recognized")
  func graph() {
    for host in ["microsoftgraph.chinacloudapi.cn", "dod-graph.microsoft.us"] {
      #expect(Authority.isGraph("https://\(host)/.default"))
    }
    #expect(!Authority.isGraph("https://graph.microsoft.evil.example/x") && !Authority.isGraph("User.Read"))
  }

  @Test(
    "the scopes are those that the options name, else those of the command's resource type",
    arguments: [
      ("--scope a b", ["a", "b"]), ("--resource https://vault.azure.net", ["https://vault.azure.net/.default"]),
      ("--resource-type ms-graph", ["https://graph.microsoft.com//.default"]),
      ("--scope a --resource-type ms-graph", ["a"]), ("-o tsv", ["https://management.core.windows.net//.default"]),
    ]
  )
  func scopes(options: String, scopes: [String]) throws {
    let arguments = try ToolArguments(options.split(separator: " ").map(String.init))
    let cloud = try Authority("https://login.microsoftonline.com/common").azureCloud
    #expect(try arguments.scopes(in: cloud, defaultType: "arm") == scopes)
    #expect(try arguments.scopes(in: cloud) == (options == "-o tsv" ? [] : scopes))
  }

  private static let object: JSONValue = ["b": "x", "a": 1, "c": ["d": true]]
  private static let list: JSONValue = [["b": "x", "a": 1], ["b": "y", "a": 2]]

  @Test(
    "--query and --output select the output, as az's; lists have a row for each element",
    arguments: [
      (object, "", "{\n  \"a\": 1,\n  \"b\": \"x\",\n  \"c\": {\n    \"d\": true\n  }\n}"),
      (object, "--query b -otsv", "x"), (object, "--query b", "\"x\""), (object, "--query none -o tsv", ""),
      (object, "--query c.d -o tsv", "true"), (object, "--query a.b.c", ""), (object, "--query [b,a] -o tsv", "x\n1"),
      (object, "--query [c.d] -o json", "[\n  true\n]"), (object, "--query [].b", ""), (object, "-o TSV", "1\tx\t"),
      (object, "--query {b:b,a:a} -o tsv", "x\t1"), (object, "--query [c,none] -o tsv", "True\nNone"),
      (object, "-o table", "A  B\n-  -\n1  x"), (object, "--query [a,b] -o table", "Result\n------\n1     \nx     "),
      (object, "--query b -o table", "Result\n------\nx     "), (object, "-o none", ""),
      (object, "--query {b:b,a:a} -o table", "B  A\n-  -\nx  1"), (list, "-o tsv", "1\tx\n2\ty"),
      (list, "--query [].b -o tsv", "x\ny"), (list, "--query [].[b,a] -o tsv", "x\t1\ny\t2"),
      (list, "--query [0].b -o tsv", "x"), (list, "--query [?a].b -o tsv", "x\ny"), (list, "--query [?c].b -o tsv", ""),
      (list, "--query [*].{y:b,x:a} -o tsv", "x\t1\ny\t2"), (list, "--query [?a].b|[0] -o tsv", "x"),
      (list, "--query [0] -o tsv", "1\tx"), (list, "--query [].c -o tsv", ""),
      (list, "--query [].[c,a] -o tsv", "None\t1\nNone\t2"), (list, "--query {x:@} -o tsv", "2"),
      (list, "-o table", "A  B\n-  -\n1  x\n2  y"),
      (list, "--query [].[b,a] -o table", "Column1  Column2\n-------  -------\nx        1      \ny        2      "),
    ]
  )
  func rendering(result: JSONValue, options: String, output: String) throws {
    #expect(try ToolArguments(options.split(separator: " ").map(String.init)).rendered(result) == output)
  }

  @Test(
    "spaces don't matter, and a name can be quoted",
    arguments: [" b ", "\"b\"", "@ . b", "[ b ] | [0]", "{ x : b , y : c } . x"]
  )
  func spaces(query: String) throws {
    #expect(try ToolArguments(["--query", query, "-o", "tsv"]).rendered(["b": "x"]) == "x")
  }

  @Test("a condition selects elements by JMESPath's rule: 0 is true, what is empty is false")
  func condition() throws {
    let result: JSONValue = [
      ["a": 0, "b": 1], ["a": "x", "b": 2], ["a": "", "b": 3], ["a": [], "b": 4], ["a": [:], "b": 5],
      ["a": false, "b": 6],
    ]
    #expect(try ToolArguments(["--query", "[?a].b", "-o", "tsv"]).rendered(result) == "1\n2")
  }

  @Test(
    "other queries and formats are rejected",
    arguments: [
      "--query=[1]", "--query=[?a=='1'].b", "--query={a}", "--query=", "--query=\"a", "--query=a.", "--query=[[a]",
      "--query=length(a)", "-o=yaml",
    ]
  )
  func unsupported(option: String) throws {
    #expect(throws: Rejection.self) { try ToolArguments([option]).rendered([["a": 1]]) }
  }

  @Test("the time is local, with six fractional digits, as .NET requires")
  func time() {
    let output = ToolOutput.accessToken("t", expiresOn: 1_700_000_000, tenant: "T", subscription: nil)
    #expect(output["expiresOn"]?.string?.wholeMatch(of: /2023-11-1\d \d\d:\d\d:20\.000000/) != nil, "\(output)")
    #expect(output["expires_on"]?.integer == 1_700_000_000 && output["subscription"] == nil)
    #expect(ToolOutput.developerToken("t", expiresOn: 1_700_000_000)["expiresOn"] == "2023-11-14T22:13:20Z")
  }

  @Test("a registry is a host; http is allowed only on this computer")
  func registry() throws {
    for (name, host) in [
      ("contoso.azurecr.io", "contoso.azurecr.io"), ("https://contoso.azurecr.io", "contoso.azurecr.io"),
      ("localhost:5000", "localhost:5000"),
    ] { #expect(try ContainerRegistry(name).host == host) }
    for (name, origin) in [
      ("contoso.azurecr.io", "https://contoso.azurecr.io"), ("localhost:5000", "http://localhost:5000"),
      ("127.0.0.1:5000", "http://127.0.0.1:5000"), ("[::1]:5000", "http://[::1]:5000"),
      ("https://localhost:5000", "https://localhost:5000"),
      ("localhost.evil.example", "https://localhost.evil.example"),
    ] {
      #expect(try ContainerRegistry(name).exchangeURL == origin + "/oauth2/exchange")
    }
    for name in [
      "contoso.azurecr.io", "https://Contoso.AzureCR.cn/", "contoso.azurecr.us", "127.0.0.1:5000", "[::1]:5000",
    ] {
      #expect(try ContainerRegistry(name).isTrusted, "\(name)")
    }
    for name in [
      "ghcr.io", "contoso.azurecr.co", "azurecr.io", "contosoazurecr.io", "contoso.azurecr.io.evil.example",
      "localhost.evil.example",
    ] {
      #expect(try !ContainerRegistry(name).isTrusted, "\(name)")
    }
    for name in ["", "http://contoso.azurecr.io", "contoso.azurecr.io/image", "a b", "contoso.azurecr.io?x"] {
      #expect(throws: Rejection.self) { try ContainerRegistry(name) }
    }
  }
}

@Suite("passwords of registries")
struct RegistryPasswordTests {
  @Test("any 2xx with a password is a success", arguments: [200, 201])
  func success(status: Int) async throws {
    #expect(try await password(.json(#"{"refresh_token": "p"}"#, status: status)) == "p")
  }

  @Test(
    "only a client error is about the account",
    arguments: [
      (401, .serverError, "registry_refused"), (429, .providerUnreachable, "http_429"),
      (408, .providerUnreachable, "http_408"),
      (503, .providerUnreachable, "http_503"), (200, .invalidResponse, "http_200"), (302, .invalidResponse, "http_302"),
    ] as [(Int, AuthenticationError.Code, AuthenticationError.Reason)]
  )
  func failure(status: Int, code: AuthenticationError.Code, reason: AuthenticationError.Reason) async {
    let error = await #expect(throws: AuthenticationError.self) { try await password(.json("{}", status: status)) }
    #expect(error?.code == code && error?.reason == reason)
  }

  private func password(_ response: ScriptedServer.Response) async throws -> String {
    let server = try ScriptedServer { _, _ in response }
    let configuration = ClientConfiguration(clientID: "c", environment: [:])
    return try await ContainerRegistry(server.url).password(for: "t", tenant: nil, configuration: configuration)
  }
}

@Suite("package feeds of Azure Artifacts")
struct PackageFeedTests {
  @Test(
    "feeds' URLs and hosts, as pip and uv pass them",
    arguments: [
      "https://pkgs.dev.azure.com/contoso/_packaging/feed/pypi/simple/", "pkgs.dev.azure.com",
      "HTTPS://PKGS.dev.azure.com/x",
      "https://VssSessionToken@pkgs.dev.azure.com/contoso/_packaging/feed@Release/pypi/simple/",
      "https://pkgs.dev.azure.com/contoso/My%20Project/_packaging/feed@Release/pypi/simple", "ada@pkgs.dev.azure.com",
      "https://ada%40contoso.example@contoso.pkgs.visualstudio.com/_packaging/feed/pypi/simple/",
    ]
  )
  func feed(_ name: String) { #expect(PackageFeed.accepts(name)) }

  @Test(
    "names that another program could read as another server",
    arguments: [
      "localhost:1?@pkgs.dev.azure.com/simple", "localhost:1#@pkgs.dev.azure.com/", "localhost:1\\@pkgs.dev.azure.com/",
      "localhost:1/@pkgs.dev.azure.com/", "u@localhost:1?@pkgs.dev.azure.com/", "u@localhost@pkgs.dev.azure.com/",
      "localhost:1@pkgs.dev.azure.com/", "[::1]@pkgs.dev.azure.com", "u@@pkgs.dev.azure.com",
      "pkgs.dev.azure.com@localhost",
      "pkgs.dev.azure.com?x", "pkgs.dev.azure.com/#x", "pkgs.dev.azure.com:8443/", "pkgs.dev.azure.com:443",
      "pkgs.dev.azure.com./", "pkgs.dev.azure.com.evil.example/", "evilpkgs.dev.azure.com", "x.pkgs.dev.azure.com",
      ".pkgs.visualstudio.com", "pkgs.visualstudio.com", "a.b.pkgs.visualstudio.com", "evil.example/pkgs.dev.azure.com",
      "pkgs.dev.azure.com\\.evil.example", "pkgs.dev.azure.com%2f.evil.example", "\tpkgs.dev.azure.com",
      "pkgs.dev.azure.com\n.evil.example", "u\t@pkgs.dev.azure.com", "é@pkgs.dev.azure.com",
      "pkgs.dev.azure.com/a/../b", "",
    ]
  )
  func other(_ name: String) {
    for prefix in ["https://", ""] { #expect(!PackageFeed.accepts(prefix + name), "\(prefix + name)") }
  }

  @Test("other schemes", arguments: ["http://", "ftp://", "//", "https:/", "https:", "https://https://"])
  func scheme(_ scheme: String) { #expect(!PackageFeed.accepts(scheme + "pkgs.dev.azure.com/x")) }
}

@Suite("shared tokens")
struct SharedTokenTests {
  private static let ada = Account(identifier: "1", username: "ada@example.org", environment: "login.example")

  private static func token(_ scope: String) -> TokenResult {
    TokenResult(accessToken: "for \(scope)", expiresOn: .now + 3600, scopes: [scope], account: ada)
  }

  private final class Calls: Sendable {
    private let all = Mutex<[(scope: String, prompts: Bool)]>([])
    private let waiting = Atomic(0)
    func add(_ parameters: TokenParameters) {
      all.withLock { $0.append((parameters.scopes[0], parameters.interaction != nil)) }
    }
    /// Waits for a token; the request has joined the others before the actor does anything else.
    func wait(for scope: String, from tokens: isolated SharedTokens) async throws -> String {
      waiting.add(1, ordering: .relaxed)
      return try await tokens.token(scope).accessToken
    }
    func areWaiting(_ count: Int) async {
      try? await eventually("\(count) requests") { waiting.load(ordering: .relaxed) == count }
    }
    func count(_ scope: String, prompts: Bool) -> Int {
      all.withLock { $0.count { $0.scope == scope && $0.prompts == prompts } }
    }
  }

  @Test("100 requests for a scope are merged")
  func shared() async throws {
    let calls = Calls()
    var client = FakeClientApplication(accounts: [Self.ada])
    client.onToken = { parameters throws(AuthenticationError) in
      calls.add(parameters)
      await calls.areWaiting(100)
      return Self.token(parameters.scopes[0])
    }
    let tokens = SharedTokens(client: client, account: Self.ada, interaction: nil)
    try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<100 { group.addTask { try await calls.wait(for: "a", from: tokens) } }
      for try await token in group { #expect(token == "for a") }
    }
    #expect(calls.count("a", prompts: false) == 1)
  }

  @Test("a stored token that a resource rejected is replaced, another one isn't")
  func rejected() async throws {
    let isReplaced = Atomic(false)
    var client = FakeClientApplication(accounts: [Self.ada])
    client.onToken = { parameters throws(AuthenticationError) in
      if parameters.rejectedToken == Secret("for old") { isReplaced.store(true, ordering: .relaxed) }
      return Self.token(isReplaced.load(ordering: .relaxed) ? "new" : "old")
    }
    let tokens = SharedTokens(client: client, account: Self.ada, interaction: nil)
    // printf 'for old' | sha256sum
    let digest = "d8a3e6f40490f8a9067e85ee8e892b56ca5efdd7de5bd65d0400faee84709300"
    #expect(try await tokens.token("a", replacing: nil).accessToken == "for old")
    #expect(try await tokens.token("a", replacing: "ab").accessToken == "for old")
    for _ in 0..<2 { #expect(try await tokens.token("a", replacing: digest).accessToken == "for new") }
  }

  @Test("the browser opens once for all waiting requests, and not again after a failure")
  func prompt() async throws {
    let calls = Calls()
    let isOpen = Atomic(false)
    var client = FakeClientApplication(accounts: [Self.ada])
    client.onToken = { parameters throws(AuthenticationError) in
      calls.add(parameters)
      guard parameters.interaction != nil else { throw AuthenticationError(.interactionRequired, "sign in") }
      let wasOpen = isOpen.exchange(true, ordering: .relaxed)
      #expect(!wasOpen, "two prompts at once")
      await calls.areWaiting(30)
      isOpen.store(false, ordering: .relaxed)
      if parameters.scopes == ["denied"] { throw AuthenticationError(.userCanceled, "denied") }
      return Self.token(parameters.scopes[0])
    }
    let tokens = SharedTokens(client: client, account: Self.ada, interaction: Interaction())
    await withTaskGroup(of: Void.self) { group in
      for index in 0..<30 {
        group.addTask { _ = try? await calls.wait(for: ["a", "b", "denied"][index % 3], from: tokens) }
      }
    }
    #expect(["a", "b", "denied"].allSatisfy { calls.count($0, prompts: true) == 1 })
    await #expect(throws: AuthenticationError.self) { try await tokens.token("denied") }
    #expect(calls.count("denied", prompts: true) == 1)
  }

  @Test("after a pause, the browser opens again for a scope whose sign-in failed or didn't help")
  func promptAgain() async throws {
    let calls = Calls()
    var client = FakeClientApplication(accounts: [Self.ada])
    client.onToken = { parameters throws(AuthenticationError) in
      calls.add(parameters)
      guard parameters.interaction != nil else { throw AuthenticationError(.interactionRequired, "sign in") }
      if parameters.scopes == ["denied"] { throw AuthenticationError(.userCanceled, "denied") }
      return Self.token(parameters.scopes[0])
    }
    for (pause, count) in [(Duration.zero, 2), (.seconds(3600), 1)] {
      let limit = PromptLimit(pause: pause)
      let tokens = SharedTokens(client: client, account: Self.ada, interaction: Interaction(), limit: limit)
      for scope in ["a", "denied"] {
        let before = calls.count(scope, prompts: true)
        for _ in 0..<2 { _ = try? await tokens.token(scope) }
        #expect(calls.count(scope, prompts: true) - before == count, "\(scope)")
      }
    }
  }
}
