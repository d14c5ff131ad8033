import DemoProvider
import TestSupport
import Testing

/// One kind of authority under its real name, and what is special about it.
struct AuthorityCase: Sendable, CustomTestStringConvertible {
  var name: String
  /// What `--authority` gets; nothing else says the kind.
  var authority: String
  /// The scheme and host that the provider calls itself by.
  var origin: String
  /// Where its issuers are, if elsewhere.
  var issuer: String?
  /// Further hosts that msauth may ask.
  var otherHosts: [String] = []
  var person = "ada"
  var username = "ada@contoso.example"
  var scopes = ["User.Read"]
  /// The cache's word for the account's environment.
  var environment: String
  /// The cache's word for the tenant of its tokens.
  var realm: String
  /// What the account's identifier ends with.
  var identifierEnd: String
  /// The path that refresh requests go to: the home tenant's where the authority names none.
  var refreshPath: String
  /// Whether Microsoft Graph of this cloud is known, so that `msauth graph` needs no address.
  var graphHost: String?

  var testDescription: String { name }

  private static let contoso = Tenant.contoso.id
  private static let bletchley = Tenant.bletchley.id

  static let all: [AuthorityCase] = [
    AuthorityCase(
      name: "Entra ID, any account",
      authority: "https://login.microsoftonline.com/common",
      origin: "https://login.microsoftonline.com",
      person: "grace",
      username: "grace@outlook.example",
      environment: "login.microsoftonline.com",
      realm: Tenant.personal.id,
      identifierEnd: "." + Tenant.personal.id,
      refreshPath: "/\(Tenant.personal.id)/oauth2/v2.0/token",
      graphHost: "graph.microsoft.com"
    ),
    AuthorityCase(
      name: "Entra ID, the government of the United States, one tenant by its name",
      authority: "https://login.microsoftonline.us/bletchley.onmicrosoft.com",
      origin: "https://login.microsoftonline.us",
      person: "alan",
      username: "alan@contoso.example",
      environment: "login.microsoftonline.us",
      realm: bletchley,
      identifierEnd: "." + bletchley,
      refreshPath: "/\(bletchley)/oauth2/v2.0/token",
      graphHost: "graph.microsoft.us"
    ),
    AuthorityCase(
      name: "Entra ID, China, organizations",
      authority: "https://login.chinacloudapi.cn/organizations",
      origin: "https://login.chinacloudapi.cn",
      environment: "login.chinacloudapi.cn",
      realm: contoso,
      identifierEnd: "." + contoso,
      refreshPath: "/\(contoso)/oauth2/v2.0/token",
      graphHost: "microsoftgraph.chinacloudapi.cn"
    ),
    AuthorityCase(
      name: "Entra ID, France's sovereign cloud",
      authority: "https://login.sovcloud-identity.fr/common",
      origin: "https://login.sovcloud-identity.fr",
      environment: "login.sovcloud-identity.fr",
      realm: contoso,
      identifierEnd: "." + contoso,
      refreshPath: "/\(contoso)/oauth2/v2.0/token"
    ),
    AuthorityCase(
      name: "External ID, whose issuer has the tenant's id for a host",
      authority: "https://contoso.ciamlogin.com",
      origin: "https://contoso.ciamlogin.com",
      issuer: "https://\(contoso).ciamlogin.com",
      environment: "contoso.ciamlogin.com",
      realm: contoso,
      identifierEnd: "." + contoso,
      refreshPath: "/\(contoso)/oauth2/v2.0/token",
      graphHost: "graph.microsoft.com"
    ),
    AuthorityCase(
      name: "Azure AD B2C, a user flow",
      authority: "https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com/B2C_1_sign_in",
      origin: "https://contoso.b2clogin.com",
      scopes: [],
      environment: "contoso.b2clogin.com",
      realm: "contoso.onmicrosoft.com",
      identifierEnd: "-b2c_1_sign_in." + contoso,
      refreshPath: "/tfp/\(contoso)/b2c_1_sign_in/oauth2/v2.0/token"
    ),
    AuthorityCase(
      name: "AD FS",
      authority: "https://fs.contoso.example/adfs",
      origin: "https://fs.contoso.example",
      scopes: ["openid"],
      environment: "fs.contoso.example",
      realm: "adfs",
      identifierEnd: "",
      refreshPath: "/adfs/oauth2/token"
    ),
  ]
}
