import Dispatch
import MSAL
import Core

extension ViewController {
  typealias AccountCompletion = @MainActor @Sendable (MSALAccount?) -> Void

  /// Updates label and button from the token store, and logs when another application signed the account out.
  func loadCurrentAccount(completion: AccountCompletion? = nil) {
    guard let applicationContext else { return }

    let msalParameters = MSALParameters()
    msalParameters.completionBlockQueue = DispatchQueue.main

    applicationContext.getCurrentAccount(with: msalParameters) { currentAccount, previousAccount, error in
      MainActor.assumeIsolated {
        if let error {
          self.updateLogging(text: "Couldn't query current account with error: \(description(of: error))")
          return
        }
        if let currentAccount {
          // The page comes to the front often; log only changes.
          if currentAccount != self.currentAccount {
            self.updateLogging(text: "Found a signed in account \(name(of: currentAccount)).")
          }
          self.updateCurrentAccount(account: currentAccount)
          completion?(currentAccount)
          return
        }
        // The library compares with the last call of any program with this client ID; the app compares with its label.
        if let gone = previousAccount ?? self.currentAccount, !self.hasSignedOut(gone) {
          self.updateLogging(text: "The account with username \(name(of: gone)) has been signed out by another app.")
        }
        self.accessToken = Secret("")
        self.updateCurrentAccount(account: nil)
        completion?(nil)
      }
    }
  }

  func updateCurrentAccount(account: MSALAccount?) {
    currentAccount = account
    if account != nil { signedOut = nil }
    updateAccountLabel()
    updateSignOutButton(enabled: account != nil)
  }

  func updateAccountLabel() {
    guard let currentAccount else {
      screen.username = "Signed out"
      return
    }
    screen.username = name(of: currentAccount)
  }

  func updateSignOutButton(enabled: Bool) {
    screen.canSignOut = enabled
  }
}

/// The account's name for people.
func name(of account: MSALAccount) -> String {
  (account.username ?? account.identifier ?? "without a name").printable(limit: 120)
}
