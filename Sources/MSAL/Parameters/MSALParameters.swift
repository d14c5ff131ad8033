public import Dispatch
public import Foundation
import MSAuth

/// What every call takes.
public class MSALParameters: NSObject {
  /// Where the completion block runs; nil for the main queue after an interactive call or a sign-out, and for any queue
  /// after the others.
  ///
  /// On Linux the main queue runs only where the program runs it: `dispatchMain()`, or a `RunLoop` on the main thread.
  public var completionBlockQueue: DispatchQueue?

  /// Makes parameters with the defaults.
  public override init() {
    super.init()
  }
}

/// What every token request takes.
public class MSALTokenParameters: MSALParameters {
  /// The scopes of the access token.
  public var scopes: [String]
  /// Whose token; nil for whoever signs in.
  public var account: MSALAccount?
  /// The authority for this call; nil for the application's.
  public var authority: MSALAuthority?
  /// The claims that the tokens shall have; with it no stored access token is used.
  public var claimsRequest: MSALClaimsRequest?
  /// Further parameters of the authorization request, and of the token endpoint's address.
  public var extraQueryParameters: [String: String]?
  /// Sent along and shown in errors; nil makes a new one.
  public var correlationId: UUID?
  /// How the token is sent; only `Bearer` exists on Linux.
  public var authenticationScheme: (any MSALAuthenticationSchemeProtocol)?

  /// Makes parameters with the defaults.
  ///
  /// - Parameter scopes: The scopes of the access token.
  public init(scopes: [String]) {
    self.scopes = scopes
    super.init()
  }
}

/// What an interactive token request takes.
public final class MSALInteractiveTokenParameters: MSALTokenParameters {
  /// What the provider is to show.
  public var promptType: MSALPromptType = .default
  /// The username to fill in; an account's username wins over it.
  public var loginHint: String?
  /// The domain, to skip a page.
  public var domainHint: String?
  /// Scopes to consent to now and to use in later requests.
  public var extraScopesToConsent: [String]?
  /// How the sign-in is shown.
  public var webviewParameters: MSALWebviewParameters
  /// The way of signing in to offer first.
  public var preferredAuthMethod: MSALPreferredAuthMethod = .none

  /// Makes parameters with the defaults.
  ///
  /// - Parameters:
  ///   - scopes: The scopes of the access token.
  ///   - webviewParameters: How the sign-in is shown.
  public init(scopes: [String], webviewParameters: MSALWebviewParameters) {
    self.webviewParameters = webviewParameters
    super.init(scopes: scopes)
  }

  /// Makes parameters with the defaults.
  ///
  /// - Parameter scopes: The scopes of the access token.
  public override convenience init(scopes: [String]) {
    self.init(scopes: scopes, webviewParameters: MSALWebviewParameters())
  }
}

/// What a silent token request takes.
public final class MSALSilentTokenParameters: MSALTokenParameters {
  /// Whether to renew even if the stored token is good.
  public var forceRefresh = false
  /// Has no effect on Linux, where no broker stands before the store.
  public var allowUsingLocalCachedRtWhenSsoExtFailed = true

  /// Makes parameters with the defaults.
  ///
  /// - Parameters:
  ///   - scopes: The scopes of the access token.
  ///   - account: Whose token.
  public init(scopes: [String], account: MSALAccount) {
    super.init(scopes: scopes)
    self.account = account
  }
}

/// What a sign-out takes.
public final class MSALSignoutParameters: MSALParameters {
  /// How the sign-out page is shown.
  public let webviewParameters: MSALWebviewParameters
  /// Whether to sign out in the browser too.
  public var signoutFromBrowser = false
  /// Whether every application that shares the store loses the account.
  public var wipeAccount = false
  /// Whether every application that shares the store loses every account.
  public var wipeCacheForAllAccounts = false
  /// Further parameters of the sign-out address.
  public var extraQueryParameters: [String: String]?

  /// Makes parameters with the defaults.
  ///
  /// - Parameter webviewParameters: How the sign-out page is shown; copied.
  public init(webviewParameters: MSALWebviewParameters) {
    self.webviewParameters = webviewParameters.copied()
    super.init()
  }
}

/// Which accounts to list.
public final class MSALAccountEnumerationParameters: MSALParameters {
  /// The home account id.
  public let identifier: String?
  /// The account's object id in any of its tenants.
  public let tenantProfileIdentifier: String?
  /// The username.
  public let username: String?
  /// Whether accounts that signed out of this application are left out.
  public var returnOnlySignedInAccounts = true

  /// Makes parameters that every account fits.
  public override init() {
    self.identifier = nil
    self.tenantProfileIdentifier = nil
    self.username = nil
    super.init()
  }

  /// Makes parameters for one account.
  ///
  /// - Parameter identifier: The home account id.
  public init(identifier: String) {
    self.identifier = identifier
    self.tenantProfileIdentifier = nil
    self.username = nil
    super.init()
  }

  /// Makes parameters for one account with that name.
  ///
  /// - Parameters:
  ///   - identifier: The home account id; nil for any.
  ///   - username: The username.
  public init(identifier: String?, username: String) {
    self.identifier = identifier
    self.tenantProfileIdentifier = nil
    self.username = username
    super.init()
  }

  /// Makes parameters for an account as one tenant knows it.
  ///
  /// - Parameter tenantProfileIdentifier: The account's object id in that tenant.
  public init(tenantProfileIdentifier: String) {
    self.identifier = nil
    self.tenantProfileIdentifier = tenantProfileIdentifier
    self.username = nil
    super.init()
  }

  var record: AccountEnumerationParameters {
    AccountEnumerationParameters(
      identifier: identifier,
      tenantProfileIdentifier: tenantProfileIdentifier,
      username: username,
      returnsOnlySignedInAccounts: returnOnlySignedInAccounts
    )
  }
}
