// How the token cache names an authority and its accounts.
extension Authority {
  /// The cache's realm of a token that this authority issued.
  func realm(tenantID: String?) -> String { issuerPath ?? tenantID ?? tenant ?? "" }

  /// Distinguishes accounts of providers on one host; `nil` for Microsoft.
  var issuer: Issuer? { issuerPath.map { Issuer(environment: environment, realm: $0) } }

  /// MSAL's name for the kind of authority.
  var cacheAuthorityType: String {
    switch kind {
    case .aad, .b2c, .ciam: "MSSTS"
    case .adfs: "ADFS"
    case .oidc: "Generic"
    }
  }

  /// Its name in the cache: the URL without the scheme, and the resource.
  var cacheName: String {
    (url.firstRange(of: "://").map { String(url[$0.upperBound...]) } ?? url) + subject.fragment
  }

  /// The account under which a resource's session is stored; its user is unknown.
  var resourceAccount: Account? {
    subject.name.map { Account(identifier: $0, username: $0, environment: environment, realm: issuerPath) }
  }

  /// `nil` if the account alone doesn't determine it.
  init?(of account: Account, known: [Authority]) {
    // The cache contains no scheme, and plain HTTP is accepted on loopback hosts only.
    let isPlainHTTP = account.claims["iss"]?.string?.utf8.starts(with: "http:".utf8) == true
    let tenant = account.tenantProfiles.first(where: \.isHomeTenant)?.tenantID ?? "common"
    let url = "\(isPlainHTTP ? "http" : "https")://\(account.environment)/\(account.realm ?? tenant)"
    guard let authority = try? Authority(url, known: known),
      authority.isProvider(of: account), authority.isMicrosoft == (account.realm == nil)
    else { return nil }
    self = authority
  }
}
