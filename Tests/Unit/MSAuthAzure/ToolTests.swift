import MSAuth
import MSAuthCore
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
    #expect(arguments.positionals == ["account", "get-access-token"])
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
    #expect(cloud.resources["ms-graph"] == "https://graph.\(graph)/")
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
}
