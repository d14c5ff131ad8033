import Foundation
import MSAL
import Core

extension ViewController {
  /// The button “Call Microsoft Graph API”.
  func callGraphAPI() {
    guard screen.activity == nil else { return }
    loadCurrentAccount { account in
      // Without an account, a sign-in comes first.
      guard let currentAccount = account else {
        self.acquireTokenInteractively()
        return
      }
      self.acquireTokenSilently(currentAccount)
    }
  }

  func acquireTokenInteractively() {
    guard let applicationContext, let webViewParameters, screen.activity == nil else { return }

    let parameters = MSALInteractiveTokenParameters(scopes: registration.scopes, webviewParameters: webViewParameters)
    parameters.promptType = .selectAccount
    parameters.completionBlockQueue = DispatchQueue.main

    screen.activity = .init(text: "Sign in in the tab that has opened.", canBeCancelled: true)
    applicationContext.acquireToken(with: parameters) { result, error in
      MainActor.assumeIsolated {
        self.screen.activity = nil
        if let error {
          self.updateLogging(text: "Could not acquire token: \(description(of: error))")
          return
        }
        guard let result else {
          self.updateLogging(text: "Could not acquire token: No result returned")
          return
        }
        self.accessToken = Secret(result.accessToken)
        self.updateLogging(text: "Access token is \(self.accessToken): it stays with the app, and is not shown.")
        self.updateCurrentAccount(account: result.account)
        self.getContentWithToken()
      }
    }
  }

  func acquireTokenSilently(_ account: MSALAccount) {
    guard let applicationContext, screen.activity == nil else { return }

    let parameters = MSALSilentTokenParameters(scopes: registration.scopes, account: account)
    parameters.completionBlockQueue = DispatchQueue.main

    screen.activity = .init(text: "Getting a token…")
    applicationContext.acquireTokenSilent(with: parameters) { result, error in
      MainActor.assumeIsolated {
        self.screen.activity = nil
        if let error {
          let nsError = error as NSError
          // The refresh token expired, the password was changed, or the provider requires a sign-in.
          if nsError.domain == MSALErrorDomain, nsError.code == MSALError.interactionRequired.rawValue {
            self.acquireTokenInteractively()
            return
          }
          self.updateLogging(text: "Could not acquire token silently: \(description(of: error))")
          return
        }
        guard let result else {
          self.updateLogging(text: "Could not acquire token: No result returned")
          return
        }
        self.accessToken = Secret(result.accessToken)
        self.updateLogging(
          text: "Refreshed access token is \(self.accessToken): it stays with the app, and is not shown."
        )
        self.updateSignOutButton(enabled: true)
        self.getContentWithToken()
      }
    }
  }

  /// The button “Cancel”: the person closed the sign-in's tab or changed their mind.
  func cancelSignIn() {
    MSALPublicClientApplication.cancelCurrentWebAuthSession()
  }
}
