import MSAuthCore
import Testing

@testable import MSAuthCache

@Suite("fields of cache entries")
struct EntryFieldTests {
  /// A field of an entry, which is used only with a valid value if the field is required.
  struct Row: Sendable, CustomTestStringConvertible {
    let kind: TokenCacheDocument.Kind
    let field: String
    let isRequired: Bool

    var testDescription: String { "\(kind.rawValue).\(field)" }
  }

  /// `nil` is an absent field.
  private static let values: [JSONValue?] = [nil, .null, "", 5, true, [], [:], .invalidString([0xD800])]

  static let rows: [Row] = [
    (
      TokenCacheDocument.Kind.accessToken, true,
      ["secret", "home_account_id", "environment", "client_id", "realm", "target", "expires_on"]
    ),
    (
      .accessToken, false,
      ["credential_type", "token_type", "cached_at", "extended_expires_on", "refresh_on", "key_id", "ext_cache_key"]
    ),
    (.refreshToken, true, ["secret", "home_account_id", "environment", "client_id"]),
    (
      .refreshToken, false,
      ["credential_type", "target", "realm", "family_id", "last_modification_time", "key_id"]
    ),
    (.idToken, true, ["secret", "home_account_id", "environment", "client_id", "realm"]),
    (.idToken, false, ["credential_type"]), (.account, true, ["home_account_id", "environment"]),
    (
      .account, false,
      ["realm", "local_account_id", "username", "authority_type", "account_source", "name", "client_info"]
    ),
    (.appMetadata, false, ["client_id", "environment", "family_id"]),
  ].flatMap { kind, isRequired, fields in
    fields.map { Row(kind: kind, field: $0, isRequired: isRequired) }
  }

  @Test("an entry without a required field is skipped and kept, an optional field may be anything", arguments: rows)
  func outcome(of row: Row) throws {
    for value in Self.values {
      var document = TokenCacheDocument.holding(grant { $0.account.name = "Ada" })
      let (key, entry) = try #require(document.entries(row.kind).sorted.first)
      var fields = try #require(entry.object)
      fields[row.field] = value
      document.remove(row.kind) { _ in true }
      document.put(fields, as: key, in: row.kind)
      let read = try TokenCacheDocument(parsing: document.serialized())
      #expect(read == document)
      let used: [TokenCacheDocument.Kind: Bool] = [
        .accessToken: read.token()?.secret == Secret("AT"), .refreshToken: read.refreshTokens() == ["RT"],
        .idToken: read.idToken() == "h.p.s", .account: read.accounts(matching: .microsoft).count == 1,
      ]
      // The other entries don't depend on it.
      for (kind, isUsed) in used {
        let isExpected = kind != row.kind || !row.isRequired
        #expect(isUsed == isExpected, "\(kind): \(value?.serializedString() ?? "absent")")
      }
    }
  }

  @Test("an account without a username is named by its ID", arguments: values)
  func username(_ value: JSONValue?) throws {
    var document = TokenCacheDocument.holding(grant())
    document.amend(.account, with: ["username": value ?? .null])
    #expect(document.accounts(matching: .microsoft).map(\.username) == [home])
  }

  @Test("a plain provider's refresh token may have no realm, but not another issuer's")
  func realm() throws {
    let issuer = Issuer(environment: "id.example", realm: "staff")
    for (value, isUsed) in [
      (nil, true), (.null, true), ("staff", true), ("", false), ("Staff", false), (5, false),
    ] as [(JSONValue?, Bool)] {
      var document = TokenCacheDocument.holding(
        grant {
          ($0.account.environment, $0.account.authorityType, $0.realm) = ("id.example", "Generic", "staff")
        }
      )
      for (key, entry) in document.entries(.refreshToken) {
        var fields = try #require(entry.object)
        fields["realm"] = value
        document.remove(.refreshToken) { _ in true }
        document.put(fields, as: key, in: .refreshToken)
      }
      let query = CacheQuery(account: home, environments: ["id.example"], issuer: issuer, clientID: client)
      #expect(document.refreshTokens(matching: query).isEmpty != isUsed, "\(value?.serializedString() ?? "absent")")
    }
  }
}
