import MSAuthOAuth
import Testing

@testable import MSAuth
@testable import MSAuthCache

@Suite("which account a name means")
struct AccountNameTests {
  private static let accounts = [("id-1", "Bob"), ("id-2", "bob"), ("Sub", "ada"), ("sub", "grace"), ("x.y", "Eve")]
    .map { Account(identifier: $0, username: $1, environment: "id.example") }

  @Test(
    "one to the letter goes before one in another case, an identifier before a username",
    arguments: [
      ("bob", "id-2"), ("Bob", "id-1"), ("sub", "sub"), ("Sub", "Sub"), ("ID-1", "id-1"), ("eve", "x.y"),
      ("X.Y", "x.y"),
      ("nobody", nil),
    ] as [(String, String?)]
  )
  func exact(name: String, identifier: String?) throws {
    #expect(try Self.accounts.account(named: name)?.identifier == identifier)
  }

  @Test("a name that two have in another case is ambiguous", arguments: ["BOB", "SUB"])
  func ambiguous(name: String) {
    let error = #expect(throws: AuthenticationError.self) { try Self.accounts.account(named: name) }
    #expect(error?.code == .ambiguousAccount && error?.candidates.count == 2)
  }
}

@Suite("where the client secret goes")
struct ClientSecretTests {
  @Test(
    "to the configured provider, which gave it, and no other",
    arguments: [
      ("https://id.example/a", "https://id.example/a", true), ("https://id.example/a", "https://id.example/b", false),
      ("https://id.example/a", "https://evil.example/a", false),
      ("https://login.microsoftonline.com/common", "https://login.microsoftonline.com/contoso.example", true),
      ("https://login.microsoftonline.com/common", "https://login.microsoftonline.us/common", false),
    ]
  )
  func provider(configured: String, asked: String, isSent: Bool) throws {
    var configuration = ClientConfiguration(clientID: "c", authority: try Authority(configured), environment: [:])
    configuration.clientSecret = "secret"
    let context = Context(configuration: configuration, dependencies: .offline(MemoryStore()))
    let document = #"""
      {"issuer": "https://id.example/a", "authorization_endpoint": "https://id.example/authorize",
       "token_endpoint": "https://id.example/token", "jwks_uri": "https://id.example/keys",
       "response_types_supported": ["code"], "subject_types_supported": ["public"],
       "id_token_signing_alg_values_supported": ["RS256"]}
      """#
    let metadata = try ProviderMetadata(
      parsing: Array(document.utf8),
      for: Authority("https://id.example/a", kind: .oidc)
    )
    let provider = Provider(context: context, authority: try Authority(asked), metadata: metadata, correlationID: "")
    #expect((provider.authentication != .none) == isSent)
  }
}
