/// What a person can do about a failure.
///
/// The library names the remedy, the program finds the words: `msauth` names its commands and flags, another application
/// shows ``description`` or words of its own.
public enum Remedy: Sendable, Hashable, Codable {
  // Signing in and consent.

  /// Sign in with these scopes; `then` says what to do in the browser, such as "set a new password".
  case signIn(scopes: [String] = [], then: String? = nil)
  /// Choose an account in the browser, or name it.
  case chooseAccount
  /// Sign in through a browser on this computer instead of entering a code on another device.
  case signInWithBrowser
  /// Sign in and accept, or let an administrator consent at that page.
  case consent(adminConsentURL: String? = nil)
  /// Let an administrator consent for the organization, at that page.
  case adminConsent(url: String? = nil)
  /// Do without the scopes that were declined, or consent to them; that account is signed in for the others.
  case consentToDeclinedScopes(username: String)
  /// Sign in with that username, or name an account that is signed in; `others` are signed in too and not listed.
  case signInOrName(username: String, signedIn: [String], others: Int = 0)
  /// Say which of the accounts is meant.
  case nameAccount
  /// Sign the present account out first; `host` is its provider's, if that is another than the configured one.
  case signOutFirst(host: String? = nil)
  /// Try again and choose the expected account in the browser, or ask for the one that signed in, which stays signed in.
  case chooseExpectedAccount(expected: String, signedIn: String)
  /// Allow the browser to be opened.
  case allowInteraction
  /// Allow more time for the sign-in.
  case allowMoreTime
  /// Look at the provider's page in the browser, which shows what is wrong with the registration: it never comes back.
  ///
  /// `opensBrowser` says whether a window of it was to open by itself.
  case checkProviderPage(redirectURI: String, isMicrosoft: Bool, opensBrowser: Bool = true)
  /// Finish the sign-in that another process has begun, or end that process.
  case finishOtherSignIn

  // The network and the provider.

  /// Try again now.
  case tryAgain
  /// Try again later; after that time, if the provider named one.
  case tryAgainLater(after: Duration? = nil)
  /// Check the network and that host.
  case checkNetwork(host: String)
  /// Check the proxy that the environment variable names, or except the host from it.
  case checkProxy(variable: String)
  /// Open any page in the browser: the network has a login page of its own, as those of hotels and trains have.
  case passNetworkLogin
  /// Trust the certificate of an organization's own authority, or check the URL.
  case trustCertificate
  /// Set this computer's clock: what is signed here is valid for a short time.
  case checkClock
  /// Check the authority's URL; `notFound` is the address that does not exist.
  case checkAuthority(notFound: String? = nil)
  /// Use that issuer as the authority, if it is the provider that was meant.
  case useIssuer(String)
  /// Name the authority where the account signed in.
  case nameAuthority
  /// Trust another authority by adding it to the known ones.
  case addKnownAuthority
  /// Tell the administrator of that server, or of the provider, what it answered.
  case reportToProvider(server: String? = nil)

  // The registration and the configuration.

  /// Take the client ID from the app registration.
  case checkClientID
  /// Compare the client ID with the app registration's: the provider does not know it.
  case compareClientID
  /// Compare client ID, redirect URI and scopes with the app registration.
  case checkRegistration
  /// Use a redirect URI with a loopback host.
  case useLoopbackRedirectURI
  /// End the program that uses the port, or register another redirect URI.
  case freePort(UInt16)
  /// Give the parameter of the authorization request where it has a place of its own.
  case useParameter(RequestParameter)
  /// Turn DPoP on and sign in again.
  case enableDPoP
  /// Turn DPoP off, or have the provider turn it on for this client.
  case requestDPoP
  /// Turn DPoP off, or declare the authority a plain OpenID provider if it is one.
  case declareOpenIDProvider
  /// Use an application that supports a shared device.
  case useSharedDeviceApplication

  // The store and the files.

  /// Check that the store can be read and written, or use another one.
  case checkStore
  /// Repair the keyring, or use another store.
  case repairKeyring(KeyringRepair)
  /// Keep accounts and tokens in a file.
  case useFileStore
  /// Do not name a cache file: the session has a place of its own.
  case omitCacheFile
  /// Start a login session, which has a runtime directory.
  case startLoginSession
  /// Change a file's or a directory's mode, in the words of chmod(1), such as `go-w`.
  case changeMode(String, path: String)
  /// Take the path back from another user.
  case takeOwnership(path: String)
  /// Let nobody but the administrator write the file.
  case restrictToAdministrator(path: String)
  /// Put the file in the place of the symbolic link.
  case replaceLink(path: String)
  /// Remove the other names (hard links) of the file.
  case removeHardLinks(path: String)
  /// Remove a lock file, if no program uses the store.
  case removeLockFile(path: String)
  /// Free space on the disk.
  case freeDiskSpace
  /// Sign in again: that sets the damaged store aside and begins a new one.
  case replaceDamagedStore
  /// Name the file with the key of the encrypted store.
  case nameStoreKey
  /// Bring back the key of the encrypted store; or remove that file and sign in again.
  case restoreStoreKey(file: String)

  // The computer.

  /// Open the address in a browser on this computer.
  case openAddress
  /// Forward the port in Visual Studio Code, then open the address in a local browser.
  case forwardPort(UInt16)
  /// Forward the port over SSH from the computer with the browser; `target` is what ssh(1) takes.
  case forwardPortOverSSH(UInt16, target: String)
  /// Name another command for the browser: there is no such program.
  case checkBrowserCommand(program: String)
  /// Share the host's network with the container.
  case shareHostNetwork
  /// Run the program as that user, without sudo.
  case runWithoutSudo(user: String)
  /// Install a library, named as Debian's package.
  case install(package: String)

  // All the rest.

  /// See the documentation.
  case readDocumentation
  /// Report the failure to the authors of the program.
  case report
  /// Advice in words, without a full stop: Microsoft's for one of its error numbers, or an application's own.
  case advice(String)

  /// What to do about a keyring that does not serve.
  public enum KeyringRepair: String, Sendable, Hashable, Codable {
    /// Start GNOME Keyring, KWallet or KeePassXC.
    case start
    /// Install libsecret.
    case install
    /// Choose a password for the new keyring.
    case setPassword
    /// Unlock it on the desktop.
    case unlock
    /// Try again, and unlock it at the prompt.
    case answerPrompt
    /// Restart it.
    case restart
    /// Try again.
    case tryAgain
  }

  /// Parameters of the authorization request that callers set by other means than as an extra parameter.
  public enum RequestParameter: String, Sendable, Hashable, Codable, CaseIterable {
    case clientID = "client_id"
    case redirectURI = "redirect_uri"
    case scope
    case responseMode = "response_mode"
    case prompt
    case loginHint = "login_hint"
    case claims
    case maxAge = "max_age"
    case acrValues = "acr_values"
    case resource
    case instanceAware = "instance_aware"
    case dpopJKT = "dpop_jkt"
  }
}
