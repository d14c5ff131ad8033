import Dispatch
import MSAL
import MSAuthCore

extension ViewController {
  /// The button “Sign Out”.
  func signOut() {
    guard let applicationContext, let account = currentAccount, let webViewParameters, screen.activity == nil else {
      return
    }
    let signoutParameters = MSALSignoutParameters(webviewParameters: webViewParameters)
    // On a shared device, the browser must not stay signed in for the next user.
    signoutParameters.signoutFromBrowser = currentDeviceMode == .shared
    signoutParameters.completionBlockQueue = DispatchQueue.main

    screen.activity = .init(text: "Signing out…", canBeCancelled: signoutParameters.signoutFromBrowser)
    applicationContext.signout(with: account, signoutParameters: signoutParameters) { _, error in
      MainActor.assumeIsolated {
        self.screen.activity = nil
        if let error {
          return self.updateLogging(text: "Couldn't sign out account with error: \(description(of: error))")
        }
        self.updateLogging(text: "Sign out completed successfully")
        self.accessToken = Secret("")
        self.signedOut = account.identifier
        self.updateCurrentAccount(account: nil)
      }
    }
  }

  /// Whether this app signed the account out itself, which needs no message.
  func hasSignedOut(_ account: MSALAccount) -> Bool {
    signedOut != nil && signedOut == account.identifier
  }
}
