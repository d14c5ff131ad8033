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
        if let gone = previousAccount ?? self.currentAccount, gone.identifier != self.signedOutIdentifier {
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
    if account != nil { signedOutIdentifier = nil }
    screen.username = account.map { name(of: $0) } ?? "Signed out"
    screen.canSignOut = account != nil
  }
}

func name(of account: MSALAccount) -> String {
  (account.username ?? account.identifier ?? "without a name").printable(limit: 120)
}

extension ViewController {
  /// The button “Get device info”.
  func getDeviceMode() {
    loadDeviceMode { deviceInformation, error in
      guard let deviceInfo = deviceInformation else {
        let reason = error.map { description(of: $0) } ?? "none was given"
        return self.updateLogging(text: "Device info not returned. Error: \(reason)")
      }
      let isSharedDevice = deviceInfo.deviceMode == .shared
      let modeString = isSharedDevice ? "shared" : "private"
      self.updateLogging(text: "Received device info. Device is in the \(modeString) mode.")
    }
  }

  /// Updates the device's mode, which decides whether sign-out includes the browser.
  func refreshDeviceMode() {
    loadDeviceMode { _, _ in }
  }

  private func loadDeviceMode(
    _ completion: @escaping @MainActor @Sendable (MSALDeviceInformation?, (any Error)?) -> Void
  ) {
    let msalParameters = MSALParameters()
    msalParameters.completionBlockQueue = DispatchQueue.main
    applicationContext?.getDeviceInformation(with: msalParameters) { deviceInformation, error in
      MainActor.assumeIsolated {
        if let mode = deviceInformation?.deviceMode { self.currentDeviceMode = mode }
        completion(deviceInformation, error)
      }
    }
  }
}

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
        self.signedOutIdentifier = account.identifier
        self.updateCurrentAccount(account: nil)
      }
    }
  }
}
