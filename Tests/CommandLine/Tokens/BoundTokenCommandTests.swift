@testable import DemoProvider
import MSAuth
import TestSupport
import Testing

@Suite("bound tokens with \"dpop\": true", .limitedConcurrency)
struct BoundTokenCommandTests {
  private static let dpop = #"{"dpop": true}"#

  @Test(
    "sign in, print, call, renew, prove for another program, and sign out",
    arguments: [[], [Fault.dpopNonceDemanded]]
  )
  func example(_ faults: [Fault]) async throws {
    let fixture = try await DemoProviderFixture.plain(Set(faults), configuration: Self.dpop)
    let url = fixture.provider.graphURL + "/v1.0/me"
    try await fixture.run(["login"], as: "ada").expect(0, stdout: ada + "\n")
    let authorize = try #require(await fixture.provider.record.first { $0.path == "/oidc/authorize" })
    #expect(authorize["dpop_jkt"]?.utf8.count == 43)

    let first = try await fixture.run(["token"], as: "ada")
    let renewed = try await fixture.run(["token", "--force-refresh", "-vv"], as: "ada")
    let stored = try #require(fixture.privateKey)
    #expect(!renewed.stderr.contains(stored.prefix(40)) && !renewed.stderr.contains("eyJ"), "\(renewed)")
    #expect(first.code == 0 && renewed.code == 0 && first.stdout != renewed.stdout, "\(first)\(renewed)")
    try await fixture.graph().expect(0, output: "Ada Lovelace")

    // Another program sends the two header fields, valid only for its own request.
    let command = ["token", "--output", "header", "--proof-for", "GET \(url)"]
    var reply = try await send(try await fixture.run(command, as: "ada"), url)
    if !faults.isEmpty, reply.status == 401 {
      let nonce = try #require(reply.header("dpop-nonce"))
      reply = try await send(try await fixture.run(command + ["--proof-nonce", nonce], as: "ada"), url)
    }
    #expect(reply.status == 200 && reply.text.contains("Ada Lovelace"), "\(reply.text)")
    let header = ("Authorization", "Bearer \(renewed.stdout.dropLast())")
    let stolen = try await WebClient.send("GET", url, headers: [header])
    #expect(stolen.status == 401, "a token without its key is useless")

    try await fixture.run("logout").expect(0, "revoked the refresh token")
    let cache = try #require(fixture.home.read(Home.cacheFile))
    #expect(!cache.contains("private_key") && !cache.contains("DPoP"), "\(cache)")
    try await fixture.run(["token"], as: "ada").expect(2)
  }

  @Test("--json has the token's type, and a proof if a request is given")
  func json() async throws {
    let fixture = try await DemoProviderFixture.plain(configuration: Self.dpop)
    _ = try await fixture.run(["login"], as: "ada")
    let plain = try await fixture.run(["token", "--json"], as: "ada").json
    #expect(plain["token_type"] == "DPoP" && plain["dpop_proof"] == nil)
    let bound = try await fixture.run(["token", "--json", "--proof-for", "POST https://api.example/x?y=1"], as: "ada")
    let proof = try #require(try bound.json["dpop_proof"]?.string)
    let claims = try JSONValue(parsing: #require(Base64URL.decode(proof.split(separator: ".")[1])))
    #expect(claims["htm"] == "POST" && claims["htu"] == "https://api.example/x" && claims["ath"] != nil)
  }

  @Test("an invalid --proof-for exits 64 with the reason before a token is requested")
  func usage() async throws {
    let fixture = try await DemoProviderFixture.plain(configuration: Self.dpop)
    _ = try await fixture.run(["login"], as: "ada")
    for (arguments, words) in [
      ([], "--proof-for 'GET"), (["--proof-for", "https://api.example/"], "--proof-for"),
      (["--proof-for", "GET api.example"], "https://"), (["--proof-for", "get https://api.example/"], "GET or POST"),
    ] {
      try await fixture.run(["token", "--output", "header"] + arguments).expect(64, words, stdout: "")
    }
  }

  @Test("exec gives a command no header with a bound token, which would need a proof")
  func exec() async throws {
    let fixture = try await DemoProviderFixture.plain(configuration: Self.dpop, signedIn: ["ada"])
    let command = ["exec", "--scope", "User.Read", "--output", "header", "--fd", "3", "--", "true"]
    try await fixture.run(command).expect(64, "token_bound")
  }

  @Test("PyPI's msal ignores bound tokens without the key, finds them with it, and keeps the key")
  func msalPython() async throws {
    let fixture = try await DemoProviderFixture.plain(configuration: Self.dpop)
    _ = try await fixture.run(["login"], as: "ada")
    let file = fixture.home.path(Home.cacheFile)
    let script = BuiltProducts.fixture("msal-bound-tokens.py")
    let command = [try BuiltProducts.python(), script, file, fixture.provider.clientID]
    let found = try JSONValue(parsing: try await ChildProcess.output(of: command).utf8)
    #expect(found == ["plain": [], "bound": ["DPoP"], "kept": true])
  }

  /// Sends the header fields printed by `msauth`, as `curl -H @-` does.
  private func send(_ outcome: CommandRunner.Outcome, _ url: String) async throws -> WebResponse {
    #expect(outcome.code == 0, "\(outcome)")
    let fields = outcome.stdout.split(separator: "\n").map { line in
      (name: String(line.prefix { $0 != ":" }), value: String(line.drop { $0 != ":" }.dropFirst(2)))
    }
    #expect(fields.map(\.name) == ["Authorization", "DPoP"] && fields[0].value.hasPrefix("DPoP "))
    return try await WebClient.send("GET", url, headers: fields)
  }
}

extension DemoProviderFixture {
  fileprivate var privateKey: String? {
    let client = try? home.json(Home.cacheFile)["msauth"]?["clients"]?[provider.clientID]
    return client?["keys"]?.object?.values.first?["private_key"]?.string
  }
}
