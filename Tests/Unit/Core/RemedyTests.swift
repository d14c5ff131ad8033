import Core
import Testing

@Suite("remedies")
struct RemedyTests {
  private static let all: [Remedy] =
    [
      .signIn(), .signIn(scopes: ["User.Read", "Mail.Read"], then: "accept"), .chooseAccount, .signInWithBrowser,
      .consent(), .consent(adminConsentURL: "https://login.example/adminconsent"), .adminConsent(),
      .adminConsent(url: "https://login.example/adminconsent"), .consentToDeclinedScopes(username: "ada@example.org"),
      .signInOrName(username: "ada", signedIn: ["alan", "grace"], others: 7),
      .nameAccount, .signOutFirst(), .signOutFirst(host: "login.example"), .allowMoreTime, .finishOtherSignIn,
      .checkProviderPage(redirectURI: "http://localhost", isMicrosoft: true), .checkBrowserCommand(program: "netscape"),
      .checkProviderPage(redirectURI: "http://127.0.0.1/", isMicrosoft: false),
      .checkProxy(variable: "https_proxy"), .compareClientID,
      .tryAgain,
      .chooseExpectedAccount(expected: "ada", signedIn: "alan"), .allowInteraction, .useIssuer("https://id.example/"),
      .tryAgainLater(),
      .tryAgainLater(after: .seconds(7)), .checkNetwork(host: "login.example"), .checkClock,
      .passNetworkLogin, .trustCertificate,
      .checkAuthority(), .checkAuthority(notFound: "https://login.example/x"), .nameAuthority, .addKnownAuthority,
      .reportToProvider(), .reportToProvider(server: "https://login.example"), .checkClientID, .checkRegistration,
      .useLoopbackRedirectURI, .freePort(8400), .enableDPoP, .requestDPoP, .declareOpenIDProvider,
      .useSharedDeviceApplication, .checkStore, .useFileStore, .omitCacheFile, .startLoginSession,
      .changeMode("600", path: "/x"), .takeOwnership(path: "/x"), .restrictToAdministrator(path: "/x"),
      .replaceLink(path: "/x"), .removeHardLinks(path: "/x"), .removeLockFile(path: "/x"), .freeDiskSpace,
      .replaceDamagedStore, .openAddress, .forwardPort(8400), .forwardPortOverSSH(8400, target: "ada@192.0.2.1"),
      .shareHostNetwork, .runWithoutSudo(user: "ada"), .install(package: "libcurl4"), .readDocumentation, .report,
      .advice("ask your administrator"),
    ] + Remedy.RequestParameter.allCases.map { .useParameter($0) }
    + [.start, .install, .setPassword, .unlock, .answerPrompt, .restart, .tryAgain].map { .repairKeyring($0) }

  @Test("the words for applications name no command and no flag of msauth, and end without a full stop", arguments: all)
  func words(_ remedy: Remedy) {
    let words = remedy.description
    #expect(!words.contains("--") && !words.contains("msauth"))
    #expect(!words.isEmpty && words == words.printable() && words.last != ".")
  }

  @Test("control characters of names and paths do not reach the words")
  func controls() {
    for remedy: Remedy in [
      .takeOwnership(path: "/x\u{1b}[2J"), .signIn(scopes: ["a\u{7}b"]), .runWithoutSudo(user: "a\n"),
    ] {
      #expect(remedy.description == remedy.description.printable())
    }
  }
}
