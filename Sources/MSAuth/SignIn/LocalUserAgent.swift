public import FoundationEssentials
import MSAuthDesktop
import MSAuthPages
import MSAuthTransport
import MSAuthUnix

/// Signs in with this computer's browser: a listener on the loopback interface, and the program that opens addresses.
public final class LocalUserAgent: UserAgent {
  private let context: Context
  private let interaction: Interaction
  /// Whether to load libcurl while the user signs in, because requests follow.
  private let preparesTransport: Bool
  /// Whether the provider offers device codes, for hints.
  private let offersDeviceCode: Bool
  private let report: @Sendable (BrowserEvent) -> Void
  private let receiver = OneShot<RedirectReceiver>()
  /// What to do if no browser was opened.
  private let hintWithoutBrowser = OneShot<Hint>()

  /// More attempts than this aren't typos.
  private static let maximumPastes = 5

  /// Creates an agent for one sign-in.
  ///
  /// - Parameters:
  ///   - browser: The browser's command, with `%s` for the URL or the URL appended; `nil` for the desktop's default.
  ///   - browserUse: How the browser is used.
  ///   - environment: The environment; by default the process's.
  ///   - onEvent: Receives events during the sign-in, on any thread.
  /// - Throws: `AuthenticationError` if the user's directories can't be determined.
  public convenience init(
    browser: String? = nil,
    browserUse: BrowserUse = .open,
    environment: [String: String] = ProcessInfo.processInfo.environment,
    onEvent: @escaping @Sendable (BrowserEvent) -> Void = { _ in }
  ) async throws(AuthenticationError) {
    let (session, folders) = try await BackgroundThread.run { _ throws(AuthenticationError) in
      (DesktopSession(environment: environment), try XDGDirectories(environment: environment))
    }
    var configuration = ClientConfiguration(clientID: "", environment: environment)
    (configuration.browser, configuration.applicationName) = (browser, nil)
    var dependencies = try Dependencies.withoutFiles(for: configuration, in: session)
    dependencies.templateDirectories = folders.templateDirectories
    var interaction = Interaction()
    (interaction.browserUse, interaction.onEvent) = (browserUse, onEvent)
    let context = Context(configuration: configuration, dependencies: dependencies)
    // The caller sends the requests, so libcurl isn't loaded.
    self.init(context, interaction, preparesTransport: false)
  }

  init(_ context: Context, _ interaction: Interaction, preparesTransport: Bool = true, offersDeviceCode: Bool = false) {
    (self.context, self.interaction) = (context, interaction)
    (self.preparesTransport, self.offersDeviceCode) = (preparesTransport, offersDeviceCode)
    report = interaction.onEvent ?? { _ in }
  }

  /// Binds the port of the redirect URI, on loopback addresses only.
  public func listen(_ request: RedirectRequest) async throws(AuthenticationError) -> String {
    let expectation = AuthorizationResponse.Expectation(state: Secret(request.state))
    return try await listen(request) { fields throws(Rejection) in
      _ = try AuthorizationResponse.validate(fields, expecting: expectation)
      return nil
    }
  }

  func listen(
    _ request: RedirectRequest,
    validate: @escaping RedirectReceiver.Validate
  ) async throws(AuthenticationError) -> String {
    let receiver = try await RedirectReceiver(request, context, report: report, validate: validate)
    guard self.receiver.resume(receiver) else { throw AuthenticationError.usedAgent }
    receiver.start()
    return receiver.redirectURI
  }

  /// Opens a one-time link to the address, and waits for the redirect.
  public func authorize(at address: URL) async throws(AuthenticationError) -> [RedirectField] {
    guard let request = receiver.current?.request else { throw AuthenticationError.usedAgent }
    let registration = registrationHint(for: request)
    let first: Hint = interaction.browserUse == .report ? registration : "\(registration); \(noWindow)"
    do {
      return try await authorize(at: address, .waiting(timeout: request.timeout, hint: orLongerTimeout(first)))
    } catch {
      guard error.reason == .noRedirect, interaction.browserUse != .report else { throw error }
      let first = isLinkOpened ? registration : hintWithoutBrowser.current ?? noWindow
      throw error.with { $0.hint = orLongerTimeout(first) }
    }
  }

  private func orLongerTimeout(_ first: Hint) -> Hint { "\(first); otherwise \(.longerTimeout)" }

  private var noWindow: Hint { "nothing there? open the address yourself\(orDeviceCode)" }
  private var orDeviceCode: Hint { offersDeviceCode ? .orDeviceCode : "" }

  func authorize(at address: URL, _ waiting: BrowserEvent) async throws(AuthenticationError) -> [RedirectField] {
    guard let receiver = receiver.current else { throw AuthenticationError.usedAgent }
    let link: String
    do throws(Rejection) {
      // The browser's arguments contain nothing that the provider or another computer chose.
      link = try receiver.oneTimeLink(to: try WebURL(address.absoluteString, .browser).string)
    } catch {
      throw AuthenticationError(rejectedAddress: error.reason)
    }
    let hint: Hint? = if case .waiting(_, let hint) = waiting { hint } else { nil }
    async let opening: Void = open(link, showing: address, receiver, signsIn: hint != nil)
    report(waiting)
    async let _: Void = takePastedRedirects(receiver)
    let fields = try await receiver.wait(hint: hint ?? .longerTimeout)
    await opening
    return fields
  }

  /// Shows the outcome, and frees the port.
  public func show(_ outcome: SignInOutcome) async {
    await end(showing: .signIn(outcome))
  }

  /// Frees the port, after the browser has the page of the outcome.
  func end(showing outcome: PageOutcome?) async {
    await receiver.current?.end(showing: outcome)
  }

  /// Whether the browser has requested the one-time link.
  var isLinkOpened: Bool { receiver.current?.isLinkOpened == true }

  private func open(_ link: String, showing address: URL, _ receiver: RedirectReceiver, signsIn: Bool) async {
    guard let url = URL(string: link) else { return }
    // The ID token in a sign-out address is for the browser alone.
    report(.address(signsIn ? address : url))
    report(.link(url))
    if interaction.browserUse == .report { return }
    do {
      report(.opened(by: try await context.dependencies.browser.open(url, until: receiver.linkOpened)))
      // Loading libcurl earlier would delay the browser's start, from 9 to 11 ms after this program's.
      if preparesTransport { await context.dependencies.transport.prepare() }
    } catch {
      if error.reason == .browserDismissed { return receiver.fail(error) }
      if interaction.browserUse == .require, error.reason == .browserNotOpened {
        let message = "no browser was opened: \(error.message.printable())"
        let hint: Hint = """
          check \(setting: "browser", or: "the browser's command")\(orDeviceCode); \
          \(action: .openAddress, or: "otherwise open the address yourself")
          """
        let error = AuthenticationError(.interactionRequired, message, reason: .browserNotOpened, hint: hint)
        return receiver.fail(error)
      }
      let session = context.dependencies.session
      var hint = session.hintForNoBrowser(
        port: receiver.port,
        signsIn: signsIn,
        offersDeviceCode: offersDeviceCode
      )
      // Over SSH the browser is usually on another computer.
      if let repair = error.specificHint { hint = session.isSSH ? "\(repair); otherwise \(hint)" : repair }
      hintWithoutBrowser.resume(hint)
      report(.notOpened(reason: error.message, hint: hint))
    }
  }

  /// Prompts for a pasted redirect while the sign-in waits, and a few times again if it is rejected.
  private func takePastedRedirects(_ receiver: RedirectReceiver) async {
    guard let pastedRedirect = interaction.pastedRedirect else { return }
    var rejection: String?
    for _ in 0..<Self.maximumPastes {
      guard let address = await pastedRedirect(rejection) else { return }
      do {
        return try receiver.take(pasted: address)
      } catch {
        rejection = error.reason
      }
    }
    report(.refused(reason: "\(rejection ?? ""); no further address is accepted"))
  }

  /// Registration errors appear only on the provider's page; it never redirects back.
  private func registrationHint(for request: RedirectRequest) -> Hint {
    if request.isMicrosoft {
      """
      if the browser shows AADSTS50011, add \(request.redirectURI) under Mobile and desktop applications in the app \
      registration; if it shows AADSTS700016, check client ID and tenant; if it shows AADSTS53000 or AADSTS530084, \
      sign in through this device's broker (\(action: .signInThroughBroker, or: "the broker setting"))
      """
    } else {
      """
      if the browser shows an error, check the client ID, and that it is registered with the redirect URI \
      \(request.redirectURI)
      """
    }
  }
}

extension AuthenticationError {
  init(rejectedAddress reason: String) {
    self.init(.invalidResponse, "the provider's address \(reason)", reason: "address_refused")
  }

  fileprivate static var usedAgent: AuthenticationError {
    let message = "a user agent must listen first, and serves only one sign-in"
    return AuthenticationError(.internalError, message, reason: "unexpected")
  }
}
