@testable import DemoProvider
import MSAuthCore
import MSAuthCrypto
import Testing

@Suite("DemoProvider: browser session, prompts, sign-out, devices")
struct DemoSessionTests {
  @Test("the second sign-in is silent, unless the request prompts")
  func prompts() async throws {
    let client = try await DemoClient()
    _ = try await client.signIn()
    let requests = await client.walker.history.count
    #expect(try await client.signIn()["code"] != nil)
    // The authorization endpoint, then the application.
    #expect(await client.walker.history.count == requests + 2)
    #expect(try await client.signIn(["prompt": "none"])["code"] != nil)

    for (name, value, button) in [
      ("prompt", "login", "account-ada"), ("prompt", "select_account", "account-ada"),
      ("prompt", "create", "account-ada"), ("prompt", "consent", "accept"), ("max_age", "0", "account-ada"),
      ("login_hint", "alan@contoso.example", "account-alan"), ("scope", "openid Mail.Read", "accept"),
    ] { #expect(try await client.walker.open(client.authorizeURL([name: value])).has(button), "\(name)=\(value)") }
  }

  @Test("prompt=none returns what is missing")
  func silent() async throws {
    let client = try await DemoClient()
    #expect(try await client.signIn(["prompt": "none"])["error"] == "login_required")
    _ = try await client.signIn()
    let missing = try await client.signIn(["prompt": "none", "scope": "openid Mail.Read"])
    #expect(missing["error"] == "consent_required")
    _ = try await client.signIn(as: "alan", ["prompt": "select_account"])
    #expect(try await client.signIn(["prompt": "none"])["error"] == "interaction_required")
    #expect(try await client.signIn(["prompt": "none", "login_hint": "ALAN@contoso.example"])["code"] != nil)
    #expect(try await client.signIn(["prompt": "none", "max_age": "0"])["error"] == "login_required")
  }

  @Test(
    "a tenant admits its own accounts",
    arguments: [
      ("organizations", ["ada", "alan"]), ("consumers", ["grace"]), ("common", ["ada", "alan", "grace"]),
      ("aaaabbbb-0000-cccc-1111-dddd2222eeee", ["ada"]),
    ]
  )
  func tenants(_ tenant: String, _ users: [String]) async throws {
    let client = try await DemoClient(tenant: tenant)
    let page = try await client.walker.open(client.authorizeURL())
    #expect(client.provider.users.map(\.id).filter { page.has("account-\($0)") } == users)
    let user = try #require(client.provider.users.first { $0.id == users[0] })
    let token = try UnverifiedToken(try await client.tokens(as: user.id)["id_token"]?.string)
    #expect(token.claims["tid"]?.string == user.tenant.id)
    #expect(token.claims["iss"]?.string == "\(client.provider.baseURL)/\(user.tenant.id)/v2.0")
  }

  @Test("a form is valid only in the browser that loaded its page")
  func forgery() async throws {
    let client = try await DemoClient()
    let page = try await client.walker.open(client.authorizeURL())
    let pageID = try #require(page.response.text.split(separator: "name=\"page\" value=\"").last?.prefix { $0 != "\"" })
    let form = FormEncoding.encode([("page", String(pageID)), ("account", "ada")])
    // Another browser with a session, but without this page.
    let foreign = try await WebClient.send("GET", client.authorizeURL()).header("set-cookie")
    let other = try #require(foreign?.prefix { $0 != ";" })
    let url = client.provider.baseURL + "/signin/account"
    for headers in [[], [(name: "Cookie", value: String(other))]] {
      #expect(try await WebClient.send("POST", url, headers: headers, form: form).status == 400)
    }
    let cookie = try #require(page.response.header("set-cookie"))
    #expect(cookie.contains("; HttpOnly") && cookie.contains("; SameSite=Lax"))
  }

  @Test("parameters are escaped", arguments: DemoClient.ProviderKind.allCases)
  func escaping(_ kind: DemoClient.ProviderKind) async throws {
    let client = try await DemoClient(kind: kind)
    let hostile = "\"><script>alert('x')</script>&"
    let page = try await client.walker.open(client.authorizeURL(["login_hint": hostile]))
    #expect(page.response.text.contains("&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;"))
    #expect(!page.response.text.contains("<script"))
    let error = try await client.get(client.authorizeURL(["redirect_uri": hostile]))
    #expect(error.status == 400 && !error.text.contains("<script"))
    let device = try await client.get(client.provider.baseURL + "/devicelogin?user_code=%22%3E%3Cscript%3E")
    #expect(!device.text.contains("<script"))
    #expect(page.response.header("content-security-policy")?.contains("default-src 'none'") == true)
  }

  @Test("sign-out with a hint ends that user's session and redirects", arguments: DemoClient.ProviderKind.allCases)
  func signOut(_ kind: DemoClient.ProviderKind) async throws {
    let client = try await DemoClient(kind: kind)
    let hint = try await client.tokens()["id_token"]?.string
    _ = try await client.signIn(as: "grace", ["prompt": "select_account"])
    let fields = ["id_token_hint": hint, "post_logout_redirect_uri": "http://localhost:9/", "state": "s 1"]
    let address = client.endpoints.logout + "?" + DemoClient.encode(fields)
    await #expect(throws: (any Error).self) { try await client.walker.open(address) }
    #expect(await client.walker.history.last == "http://localhost:9/?state=s%201")
    // Only Grace is left.
    #expect(try await client.signIn(["prompt": "none"])["code"] != nil)
    #expect(try await client.signIn(["prompt": "none", "login_hint": "ada@contoso.example"])["error"] != nil)
  }

  @Test("sign-out without a hint prompts, and never redirects to an unregistered URI")
  func signOutPage() async throws {
    let client = try await DemoClient()
    _ = try await client.signIn()
    let address = client.endpoints.logout + "?post_logout_redirect_uri=https%3A%2F%2Fattacker.example%2F"
    var page = try await client.walker.open(address)
    #expect(page.has("sign-out"))
    page = try await client.walker.press("sign-out", on: page)
    #expect(page.has("signed-out"))
    #expect(try await client.signIn(["prompt": "none"])["error"] == "login_required")
  }

  @Test("a device waits for its user", arguments: DemoClient.ProviderKind.allCases, [true, false])
  func device(_ kind: DemoClient.ProviderKind, _ accepts: Bool) async throws {
    let client = try await DemoClient(kind: kind)
    let metadata = try await client.json(client.metadataURL)
    let endpoint = try #require(metadata["device_authorization_endpoint"]?.string)
    let request = ["client_id": client.provider.clientID, "scope": "openid profile"]
    let (status, device) = try await client.post(endpoint, request)
    #expect(status == 200)
    let form = [
      "grant_type": "urn:ietf:params:oauth:grant-type:device_code", "client_id": client.provider.clientID,
      "device_code": device["device_code"]?.string,
    ]
    #expect(try await client.post(client.endpoints.token, form).json["error"] == "authorization_pending")
    let again = try await client.post(client.endpoints.token, form).json["error"]
    #expect(again == (kind == .oidc ? "slow_down" : "authorization_pending"))

    let page = try await client.walker.walk(
      from: try #require(device["verification_uri"]?.string),
      as: "ada",
      accepts: accepts,
      userCode: device["user_code"]?.string
    )
    #expect(page.has("done"))
    let (code, response) = try await client.post(client.endpoints.token, form)
    #expect((code == 200) == accepts)
    #expect(accepts || response["error"] == (kind == .entra ? "authorization_declined" : "access_denied"))
  }
}

@Suite("the scripted browser")
struct ScriptedBrowserTests {
  @Test(
    "an invalid address is described",
    arguments: [
      ("foo", "foo isn't a loopback address such as http://127.0.0.1:8080/"),
      ("https://127.0.0.1/", "https://127.0.0.1/ isn't a loopback address such as http://127.0.0.1:8080/"),
      ("http://id.example/", "http://id.example/ isn't a loopback address such as http://127.0.0.1:8080/"),
      // Nothing listens at the discard port (RFC 863).
      ("http://127.0.0.1:9/", "couldn't connect to 127.0.0.1:9: connection refused"),
    ]
  )
  func addresses(address: String, message: String) async {
    let error = await #expect(throws: ScriptedBrowserError.self) { try await ScriptedBrowser().open(address) }
    #expect(error.map { "\($0)" } == message)
  }
}
