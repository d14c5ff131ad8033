import Dispatch
import MSAL
import MSAuthCore

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
          return self.updateLogging(text: "Couldn't query current account with error: \(description(of: error))")
        }
        if let currentAccount {
          // The page comes to the front often: log only changes.
          if currentAccount != self.currentAccount {
            self.updateLogging(text: "Found a signed in account \(name(of: currentAccount)).")
          }
          self.updateCurrentAccount(account: currentAccount)
          completion?(currentAccount)
          return
        }
        // `previousAccount` is `nil` if another program with this client ID has checked in the meantime.
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
    screen.username = account.map { name(of: $0) } ?? "Signed out"
    screen.canSignOut = account != nil
  }
}

func name(of account: MSALAccount) -> String {
  (account.username ?? account.identifier ?? "without a name").printable(limit: 120)
}
