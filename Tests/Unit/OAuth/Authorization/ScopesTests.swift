import MSAuthCore
@testable import MSAuthOAuth
import Testing

@Suite("scopes")
struct ScopesTests {
  @Test("scopes keep their order without duplicates")
  func order() throws {
    let scopes = try Scopes(parsing: "  b a  b https://graph.microsoft.com/.default ")
    #expect(scopes.names == ["b", "a", "https://graph.microsoft.com/.default"])
    #expect(scopes.joined == "b a https://graph.microsoft.com/.default")
  }

  @Test("a character outside of RFC 6749 §3.3, a long scope and too many scopes are rejected")
  func rejected() {
    let rows: [([String], String)] =
      ["a\"b", "a\\b", "é", "a\n", "a\u{7F}", "a\u{0}"].map { ([$0], "has a character that scopes can't have") } + [
        (["a b"], "has a space"), ([""], "is empty"),
        ([String(repeating: "a", count: 600)], "is longer than 512 bytes"),
        ((0...Scopes.countLimit).map { "s\($0)" }, "has more than 200 values"),
      ]
    for (scopes, reason) in rows {
      let error = #expect(throws: AuthenticationError.self) { try Scopes(scopes) }
      #expect(error?.message.contains(reason) == true, "\(error as Any)")
    }
  }

  @Test("/.default is replaced by single scopes, and can't be combined with them")
  func defaultScope() throws {
    let all = "https://vault.azure.net/.default"
    let rows: [([String], [String], [String])] = [
      ([], [all], [all]), (["b"], [all, "a"], ["a", "b"]), (["openid", "Email"], [all], [all, "openid", "Email"]),
      ([all], ["openid", "https://vault.azure.net/read"], ["openid", all]),
    ]
    for (more, scopes, expected) in rows { #expect(Scopes.adding(more, to: scopes) == expected) }
    for scopes in [[all], [all, "openid", "Offline_Access", "email"], ["a", "b"]] { try Scopes(scopes).checkDefault() }
    for scopes in [[all, "a"], ["User.Read", "Api://x/.Default"], [all, "https://graph.microsoft.com/.default"]] {
      let error = #expect(throws: AuthenticationError.self) { try Scopes(scopes).checkDefault() }
      #expect(error?.message.hasSuffix(" can't be combined with others") == true, "\(error as Any)")
    }
  }

  @Test(
    "a token covers only requests within its grant",
    arguments: [
      ("User.Read openid profile", "User.Read", true),
      ("User.Read openid profile", "user.read", false),
      ("User.Read", "User.Read openid profile offline_access", true),
      ("User.Read", "User.Read Mail.Read", false),
      ("https://vault.azure.net/user_impersonation", "openid https://vault.azure.net/user_impersonation", true),
      ("openid profile", "openid profile offline_access", true), ("openid", "openid profile", false),
      ("openid profile email", "email", true), ("openid", "", true), ("User.ReadWrite", "User.Read", false),
    ]
  )
  func covers(_ granted: String, _ requested: String, _ expected: Bool) throws {
    let granted = try Scopes(parsing: granted)
    #expect(try Scopes(parsing: requested).namedByToken().allSatisfy { granted.contains($0) } == expected)
  }

  @Test("case matters except at Microsoft, which changes it", arguments: [false, true])
  func letterCase(ignoringCase: Bool) throws {
    let (requested, granted) = (try Scopes(parsing: "api.read"), try Scopes(parsing: "API.Read"))
    let scopes = GrantedScopes(requested: requested, granted: granted, ignoringCase: ignoringCase)
    #expect(scopes.declined.isEmpty == ignoringCase)
  }

  @Test(
    "a scope of Microsoft Graph may be granted with or without its resource",
    arguments: [false, true],
    ["graph.microsoft.com", "graph.microsoft.us", "dod-graph.microsoft.us", "microsoftgraph.chinacloudapi.cn"]
  )
  func graph(isLong: Bool, host: String) throws {
    let names = ["User.Read", "https://\(host)/User.Read"]
    let (requested, granted) = (try Scopes([names[isLong ? 0 : 1]]), try Scopes([names[isLong ? 1 : 0]]))
    let scopes = GrantedScopes(requested: requested, granted: granted, ignoringCase: true)
    #expect(scopes.declined.isEmpty && Set(scopes.effective.names) == Set(names))
    let other = try Scopes(["https://vault.azure.net/User.Read"])
    #expect(GrantedScopes(requested: requested, granted: other, ignoringCase: true).declined == requested)
    let otherCloud = try Scopes(["https://graph.microsoft.de/User.Read"])
    let long = try Scopes([names[1]])
    #expect(GrantedScopes(requested: long, granted: otherCloud, ignoringCase: true).declined == long)
  }

  @Test("Microsoft's reserved scopes ignore case, other providers' don't")
  func reservedLetterCase() throws {
    let requested = try Scopes(parsing: "OPENID Offline_Access api")
    #expect(requested.namedByToken(ignoringCase: true) == ["api"])
    #expect(try Scopes(parsing: "OpenID Offline_Access").namedByToken(ignoringCase: true) == ["OpenID"])
    let granted = try Scopes(["api"])
    for (ignoringCase, declined) in [(true, []), (false, ["OPENID", "Offline_Access"])] {
      let scopes = GrantedScopes(requested: requested, granted: granted, ignoringCase: ignoringCase)
      #expect(scopes.declined.names == declined)
    }
    let metadata = try ProtocolFixtures.metadata()
    let atMicrosoft = requested.forRequest(authority: .microsoftCommon, metadata: metadata)
    #expect(atMicrosoft.names == requested.names + ["profile"])
    let request = try ProtocolFixtures.request { $0.scopes = requested }
    #expect(try request.parameters().contains { $0 == ("scope", requested.joined) })
    let other = try Authority("https://id.example")
    #expect(
      requested.forRequest(authority: other, metadata: metadata).names == requested.names + ["openid", "profile"]
    )
  }

  @Test("offline_access and profile are requested from Microsoft and where listed, profile also without a list")
  func forRequest() throws {
    let requested = try Scopes(["api"])
    let silent = try ProtocolFixtures.metadata()
    let offering = try ProtocolFixtures.metadata(["scopes_supported": ["openid", "offline_access"]])
    let other = try Authority("https://id.example")
    #expect(requested.forRequest(authority: other, metadata: silent).joined == "api openid profile")
    #expect(requested.forRequest(authority: other, metadata: offering).joined == "api openid offline_access")
    let atMicrosoft = requested.forRequest(authority: .microsoftCommon, metadata: silent)
    #expect(atMicrosoft.joined == "api openid profile offline_access")
  }

  @Test("OpenID Connect's own scopes can be separated")
  func reserved() throws {
    #expect(try Scopes(parsing: "openid User.Read profile offline_access").withoutReserved().names == ["User.Read"])
  }
}

@Suite("PKCE")
struct PKCETests {
  @Test("RFC 7636 appendix B: the challenge matches the example")
  func vector() {
    let challenge = PKCE.challenge(of: ProtocolFixtures.verifier)
    #expect(challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    #expect(PKCE.method == "S256")
  }
}
