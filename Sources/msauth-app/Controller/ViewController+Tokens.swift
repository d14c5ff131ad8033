import Foundation
import MSAL
import Core

extension ViewController {
  /// The button “Call Microsoft Graph API”.
  func callGraphAPI() {
    guard screen.activity == nil else { return }
    loadCurrentAccount { account in
      // Without an account, somebody has to sign in first.
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
          self.updateLogging(text: "Could not acquire token: \(words(of: error))")
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
          // The refresh token has ended, the password was changed, or the provider wants to see the person.
          if nsError.domain == MSALErrorDomain, nsError.code == MSALError.interactionRequired.rawValue {
            self.acquireTokenInteractively()
            return
          }
          self.updateLogging(text: "Could not acquire token silently: \(words(of: error))")
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

  /// The button “Cancel”: the person closed the sign-in's tab, or thought better of it.
  func cancelSignIn() {
    MSALPublicClientApplication.cancelCurrentWebAuthSession()
  }
}
