extension Remedy: CustomStringConvertible {
  /// One line for a person, without a full stop; it names no command and no flag of msauth.
  public var description: String {
    switch self {
    case .signIn(let scopes, let then):
      "sign in again"
        + (scopes.isEmpty ? "" : " with the scopes " + scopes.map { $0.printable() }.joined(separator: " "))
        + (then.map { " and \($0)" } ?? "")
    case .chooseAccount: "sign in again and choose an account, or name it"
    case .signInWithBrowser: "sign in through the browser"
    case .consent(let url):
      "sign in again and accept, or let an administrator consent for the organization" + Self.page(url)
    case .adminConsent(let url): "let an administrator consent for the organization" + Self.page(url)
    case .consentToDeclinedScopes(let username):
      "\(username.printable()) is signed in for the rest; ask for no more, or sign in again and consent"
    case .signInOrName(let username, let signedIn, let others):
      "sign in as \(username.printable()), or name an account that is signed in: \(Self.list(signedIn, others))"
    case .nameAccount: "say which account is meant"
    case .signOutFirst(let host): "sign that account out first" + (host.map { ", at \($0.printable())" } ?? "")
    case .chooseExpectedAccount(let expected, let signedIn):
      "\(signedIn.printable()) stays signed in; try again and choose \(expected.printable()) in the browser, or ask for "
        + signedIn.printable()
    case .allowInteraction: "allow the browser to be opened"
    case .allowMoreTime: "try again, and allow more time"
    case .checkProviderPage(let redirectURI, let isMicrosoft, _):
      Self.registration(redirectURI, isMicrosoft) + "; otherwise try again, and allow more time"
    case .finishOtherSignIn: "finish the other sign-in in the browser, or end its process"
    case .tryAgain: "try again"
    case .tryAgainLater(let time): time.map { "try again in \($0.secondsRoundedUp) seconds" } ?? "try again later"
    case .checkNetwork(let host): "check the network and \(host.printable(limit: 100)), then try again"
    case .checkProxy(let variable): "check \(variable.printable(limit: 100)), or put the host into no_proxy"
    case .passNetworkLogin:
      "open any page in the browser, in case the network has a login page of its own; else check the authority's URL"
    case .trustCertificate:
      "check the URL; the certificate of an organization's own authority goes into the file that SSL_CERT_FILE names; a "
        + "network with a login page of its own wants that opened in the browser first"
    case .checkClock: "check this computer's clock: timedatectl shows it"
    case .checkAuthority(let url):
      url.map { "check the authority: \($0.printable()) does not exist" }
        ?? "an authority looks like https://login.microsoftonline.com/common or https://accounts.example.com"
    case .useIssuer(let issuer): "if it is the provider you mean, use its issuer: \(issuer.printable(limit: 200))"
    case .nameAuthority: "name the authority where the account signed in"
    case .addKnownAuthority:
      "if it belongs to your organization, add an authority of that host to the known authorities"
    case .reportToProvider(let server):
      server.map { "tell the administrator of \($0.printable()) the error code" }
        ?? "check the authority's URL; if it is right, tell the provider's administrator the error code"
    case .checkClientID: "take the application (client) ID from the app registration"
    case .compareClientID: "compare the client ID with Overview in the app registration"
    case .checkRegistration:
      "compare client ID, redirect URI and scopes with the app registration, or ask its administrator"
    case .useLoopbackRedirectURI:
      "use http://localhost, http://127.0.0.1 or http://[::1], with a port and path if the registration has them"
    case .freePort(let port): "end the program that uses port \(port), or register another redirect URI"
    case .useParameter(let parameter): "set \(parameter.rawValue) where the application has a setting for it"
    case .enableDPoP: "turn DPoP on and sign in again, or send the token without a proof"
    case .requestDPoP: "turn DPoP off, or ask the provider's administrator to turn it on for this client"
    case .declareOpenIDProvider: "turn DPoP off, or give the authority the type oidc if it is one"
    case .useSharedDeviceApplication: "use an application that supports a shared device"
    case .checkStore: "check that the token store can be read and written, or use another store"
    case .repairKeyring(let repair): "\(repair), or keep the tokens in a file"
    case .useFileStore: "keep the tokens in a file"
    case .omitCacheFile: "omit the cache file; the session's own directory is used"
    case .startLoginSession:
      "log in to a session of your own: loginctl lists sessions, and pam_systemd creates their directories"
    case .changeMode(let mode, let path): "chmod \(mode) \(path.printable())"
    case .takeOwnership(let path):
      "chown \(path.printable()) back to yourself; a program run with sudo may have created it"
    case .restrictToAdministrator(let path): "chown root \(path.printable()) and chmod 644 it"
    case .replaceLink(let path): "replace the symbolic link \(path.printable()) by the file itself"
    case .removeHardLinks(let path): "remove the other names of \(path.printable()), or copy the file"
    case .removeLockFile(let path):
      "wait for the program that uses the token store; if there is none, remove \(path.printable())"
    case .freeDiskSpace: "free space on that disk"
    case .replaceDamagedStore: "sign in again, which sets the damaged store aside"
    case .nameStoreKey: "name the file with its key in the configuration"
    case .restoreStoreKey(let file):
      "use the key that it was encrypted with; if that is lost, remove \(file.printable()) and sign in again"
    case .openAddress: "open the address in a browser on this computer"
    case .forwardPort(let port):
      "forward port \(port) in the Ports view of Visual Studio Code, then open the address in your browser"
    case .forwardPortOverSSH(let port, let target):
      "on the computer with the browser run `ssh -L \(port):127.0.0.1:\(port) \(target)`, then open the address there"
    case .checkBrowserCommand(let program):
      "check the browser's command: there is no program \(program.printable(limit: 100)); or open the address yourself"
    case .shareHostNetwork: "share the host's network with the container, then open the address on the host"
    case .runWithoutSudo(let user): "run the program as \(user.printable(limit: 40)), without sudo"
    case .install(let package): "install \(package)"
    case .readDocumentation: "see the documentation"
    case .report: "report it, with a verbose log of the same call"
    case .advice(let words): words
    }
  }

  /// What the provider's page may say: it is all that is known when nobody comes back.
  package static func registration(_ redirectURI: String, _ isMicrosoft: Bool) -> String {
    let uri = redirectURI.printable(limit: 200)
    guard isMicrosoft else {
      return
        "if the browser shows an error, check the client ID, and that it is registered with the redirect URI \(uri)"
    }
    return
      "if the browser shows AADSTS50011, add \(uri) under Mobile and desktop applications in the app registration; "
      + "if AADSTS700016, check client ID and tenant"
  }

  /// The page where an administrator consents, as the end of a sentence.
  package static func page(_ url: String?) -> String { url.map { ": \($0.printable())" } ?? "" }

  /// Names, and how many there are beside them.
  package static func list(_ names: [String], _ others: Int) -> String {
    names.map { $0.printable() }.joined(separator: ", ") + (others == 0 ? "" : " and \(others) more")
  }
}

extension Remedy.KeyringRepair: CustomStringConvertible {
  /// The step alone, as the first half of a sentence.
  public var description: String {
    switch self {
    case .start: "start GNOME Keyring, KWallet or KeePassXC"
    case .install: "install libsecret-1-0"
    case .setPassword: "choose a password on the desktop"
    case .unlock: "unlock it on the desktop"
    case .answerPrompt: "try again and unlock it"
    case .restart: "restart it"
    case .tryAgain: "try again"
    }
  }
}
