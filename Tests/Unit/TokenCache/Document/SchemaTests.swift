import MSAuthCore
import Testing

@testable import MSAuthCache

@Suite("the document's schema")
struct SchemaTests {
  @Test("a sign-in is written exactly like MSAL Python's")
  func exactDocument() {
    let document = TokenCacheDocument.holding(
      grant {
        $0.refreshToken?.familyID = "1"
        $0.account.name = "Ada Lovelacë 😀"
        $0.clientInfo = Secret("ci")
      }
    )
    #expect(document.text == Self.expected)
  }

  @Test("a token without times lives until its expiry, and is never renewed early")
  func optionalTimes() throws {
    let document = TokenCacheDocument.holding(
      grant { ($0.accessToken.extendedExpiresOn, $0.accessToken.refreshOn) = (nil, nil) }
    )
    let entry = try #require(document.entries(.accessToken).values.first)
    #expect(entry.string("extended_expires_on") == "1700003600")
    #expect(entry["refresh_on"] == nil)
  }

  private static let expected = #"""
    {
        "AccessToken": {
            "uid.utid-login.microsoftonline.com-accesstoken-11111111-aaaa-bbbb-cccc-222222222222-tenant-user.read email openid profile": {
                "cached_at": "1700000000",
                "client_id": "11111111-AAAA-bbbb-cccc-222222222222",
                "credential_type": "AccessToken",
                "environment": "login.microsoftonline.com",
                "expires_on": "1700003600",
                "extended_expires_on": "1700007200",
                "home_account_id": "uid.utid",
                "realm": "tenant",
                "refresh_on": "1700001800",
                "secret": "AT",
                "target": "User.Read email openid profile",
                "token_type": "Bearer"
            }
        },
        "Account": {
            "uid.utid-login.microsoftonline.com-tenant": {
                "account_source": "authorization_code",
                "authority_type": "MSSTS",
                "client_info": "ci",
                "environment": "login.microsoftonline.com",
                "home_account_id": "uid.utid",
                "local_account_id": "oid",
                "name": "Ada Lovelac\u00eb \ud83d\ude00",
                "realm": "tenant",
                "username": "Ada@Contoso.com"
            }
        },
        "AppMetadata": {
            "appmetadata-login.microsoftonline.com-11111111-AAAA-bbbb-cccc-222222222222": {
                "client_id": "11111111-AAAA-bbbb-cccc-222222222222",
                "environment": "login.microsoftonline.com",
                "family_id": "1"
            }
        },
        "IdToken": {
            "uid.utid-login.microsoftonline.com-idtoken-11111111-aaaa-bbbb-cccc-222222222222-tenant-": {
                "client_id": "11111111-AAAA-bbbb-cccc-222222222222",
                "credential_type": "IdToken",
                "environment": "login.microsoftonline.com",
                "home_account_id": "uid.utid",
                "realm": "tenant",
                "secret": "h.p.s"
            }
        },
        "RefreshToken": {
            "uid.utid-login.microsoftonline.com-refreshtoken-1--": {
                "client_id": "11111111-AAAA-bbbb-cccc-222222222222",
                "credential_type": "RefreshToken",
                "environment": "login.microsoftonline.com",
                "family_id": "1",
                "home_account_id": "uid.utid",
                "last_modification_time": "1699999999",
                "secret": "RT"
            }
        }
    }
    """#
}
