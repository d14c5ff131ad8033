import Core
import MSAuth

extension Remedy {
  /// The remedy in the command line's words: what to type, where that helps.
  var commandLine: String {
    switch self {
    case .signIn(let scopes, let then):
      "run \(Invocation.login(scopes: scopes))" + (then.map { " and \($0)" } ?? "")
    case .chooseAccount: "run \(Invocation.login) --prompt select_account, or name the account with --login-hint"
    case .signInWithBrowser: "sign in through the browser: \(Invocation.login)"
    case .consent(let url):
      "run \(Invocation.login) and accept, or let an administrator consent for the organization" + Self.page(url)
    case .consentToDeclinedScopes(let username):
      "\(username.printable()) is signed in for the rest; ask for no more, or for consent with "
        + "\(Invocation.login) --prompt consent"
    case .signInOrName(let username, let signedIn, let others):
      "run \(Invocation.login(account: username)), or name one that is signed in: "
        + Self.list(signedIn, others)
    case .nameAccount:
      "name one with --account, by its username or by the identifier in brackets, or make it the current account with "
        + "msauth switch"
    case .signOutFirst(let host):
      "sign that account out first: msauth logout"
        + (host.map { " --authority URL, with the URL of \($0.printable())" } ?? "")
    case .chooseExpectedAccount(let expected, let signedIn):
      "\(signedIn.printable()) stays signed in; try again and choose \(expected.printable()) in the browser, or ask with "
        + "--account \(signedIn.printable())"
    case .allowInteraction: "add --interactive to sign in now"
    case .allowMoreTime: "try again, and allow more time with --timeout SECONDS"
    case .checkProviderPage(let redirectURI, let isMicrosoft, let opensBrowser):
      Self.registration(redirectURI, isMicrosoft)
        + (opensBrowser ? "; no window? open the address above, or use \(Invocation.login) --device-code" : "")
        + "; --timeout SECONDS allows more time"
    case .compareClientID: "compare it with Overview in the app registration: msauth config set client_id ID"
    case .useIssuer(let issuer):
      "if it is the provider you mean, use its issuer: --authority \(issuer.printable(limit: 200))"
    case .nameAuthority: "name the authority where it signed in, with --authority URL"
    case .addKnownAuthority:
      "if it belongs to your organization, add an authority of that host to \"authorities\" in the configuration"
    case .useParameter(let parameter): parameter.commandLine
    case .enableDPoP:
      "write \"dpop\": true into the configuration and sign in again, or send the token without a proof"
    case .requestDPoP:
      "take \"dpop\" out of the configuration, or ask the provider's administrator to turn DPoP on for this client"
    case .declareOpenIDProvider:
      "take \"dpop\" out of the configuration, or give the authority the type oidc if it is one"
    case .useSharedDeviceApplication:
      "take \"shared_device_mode_supported\": false out of the configuration, or use another application"
    case .checkStore: "check that the token store can be read and written, or use another with --store"
    case .repairKeyring(let repair): "\(repair), or use --store file"
    case .useFileStore: "use --store file"
    case .trustCertificate:
      "check the URL; the certificate of an organization's own authority goes into --ca-file FILE, or \"ca_file\" in the "
        + "configuration; a network with a login page of its own wants that opened in the browser first"
    case .omitCacheFile: "omit --cache-file; the session's own directory is used"
    case .replaceDamagedStore: "run \(Invocation.login), which sets the damaged store aside"
    case .nameStoreKey: "name the file with its key: MSAUTH_STORE_KEY_FILE, or \"store_key_file\" in the configuration"
    case .openAddress: "open the address in a browser on this computer, or use \(Invocation.login) --device-code"
    case .forwardPort: "\(description), or use \(Invocation.login) --device-code"
    case .forwardPortOverSSH:
      "\(description), or use \(Invocation.login) --device-code; if msauth is there too, msauth login --via needs no port"
    case .checkBrowserCommand:
      "check --browser, or \"browser\" in the configuration; or open the address in a browser yourself"
    case .shareHostNetwork:
      "use \(Invocation.login) --device-code, or share the host's network with the container, then open the address on the "
        + "host"
    case .runWithoutSudo(let user): "run msauth as \(user.printable(limit: 40)), without sudo"
    case .readDocumentation: "see \(Invocation.command) --help"
    case .report: "report it, with the output of the same command and -v"
    case .adminConsent, .finishOtherSignIn, .tryAgain, .tryAgainLater, .checkNetwork, .checkProxy, .checkClock,
      .passNetworkLogin,
      .checkAuthority, .reportToProvider, .checkClientID, .checkRegistration, .useLoopbackRedirectURI, .freePort,
      .startLoginSession, .changeMode, .takeOwnership, .restrictToAdministrator, .replaceLink, .removeHardLinks,
      .removeLockFile, .freeDiskSpace, .restoreStoreKey, .install, .advice:
      description
    }
  }
}

extension Remedy.RequestParameter {
  /// Where the command line takes the parameter.
  fileprivate var commandLine: String {
    switch self {
    case .clientID: "use --client-id"
    case .redirectURI: "use --redirect-uri"
    case .scope: "use --scope"
    case .responseMode: "use --response-mode"
    case .prompt: "use --prompt"
    case .loginHint: "use --login-hint"
    case .claims: "use --claims"
    case .maxAge, .acrValues:
      "use msauth token --interactive --www-authenticate, with what the resource answered"
    case .resource: "name the resource by its scopes, with --scope"
    case .instanceAware: "write \"multiple_clouds_supported\": true into the configuration"
    case .dpopJKT: "write \"dpop\": true into the configuration"
    }
  }
}
