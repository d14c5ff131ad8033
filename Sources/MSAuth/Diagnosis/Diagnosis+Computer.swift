import FoundationEssentials
import Glibc
import MSAuthBroker
import MSAuthDesktop
import MSAuthTransport
import MSAuthUnix

extension Diagnosis {
  func checkSession() -> CheckResult {
    let facts = session.facts.joined(separator: ", ")
    if let user = session.sudoUser { return .warning(facts, .withoutSudo(as: user)) }
    guard hasDeadDisplay else { return .ok(facts) }
    return .warning("\(facts), which no X server serves", "use a terminal of the desktop session, or unset DISPLAY")
  }

  /// Whether no X server listens at a local display, such as that of a session that has ended.
  private var hasDeadDisplay: Bool {
    guard session.waylandDisplay == nil, let display = session.x11Display, display.hasPrefix(":") else { return false }
    let number = display.dropFirst().prefix { $0.isASCII && $0.isNumber }
    let socket = "/tmp/.X11-unix/X\(number)"
    guard !number.isEmpty, access(socket, F_OK) != 0 else { return false }
    let sockets = FileManager.default.contents(atPath: "/proc/net/unix").map { String(decoding: $0, as: UTF8.self) }
    return sockets?.split(separator: "\n").contains { $0.hasSuffix("@" + socket) } == false
  }

  func checkBrowser() async -> CheckResult {
    let browser = SystemBrowser(command: configuration?.browser, environment: environment, session: session)
    do throws(AuthenticationError) {
      let programs = try await browser.programs()
      if let found = programs.first(where: { $0.path != nil }), let path = found.path {
        let shown = path.printable(limit: 200)
        let program = found.name == path ? shown : "\(found.name.printable(limit: 60)) (\(shown))"
        return found.isChosen ? .ok(program) : await checkRegisteredBrowser(opener: program)
      }
      let names = programs.map { $0.name.printable(limit: 60) }.joined(separator: ", ")
      let hint: Hint =
        session.isWSL ? "install wslu, or turn on interoperability in /etc/wsl.conf" : "install xdg-utils"
      return .failed("no program opens addresses here: \(names) not found", hint)
    } catch {
      guard error.reason == .noDisplay else { return .failed(error.message, .checkBrowser) }
      // The port is only known if it is always the same.
      let hint: Hint =
        session.isVSCodeRemote
        ? "open the address in a browser on this computer\(.orDeviceCode)"
        : session.hintForNoBrowser(port: session.preferredPort ?? 0)
      return .warning("\(error.message): no browser opens here", hint)
    }
  }

  /// A desktop's opener needs a browser that is registered for web addresses.
  private func checkRegisteredBrowser(opener: String) async -> CheckResult {
    let browsers = await InstalledBrowsers.find(environment: environment)
    if let name = browsers.defaultName { return .ok("\(name.printable(limit: 100)), through \(opener)") }
    // In a sandbox and under Windows the desktop is elsewhere.
    guard session.sandbox == nil, !session.isWSL else { return .ok(opener) }
    guard browsers.choices.isEmpty else { return .ok("\(opener); no browser is the default") }
    return .warning(
      "\(opener), but no browser is registered for https addresses",
      "install a browser, or set its command"
    )
  }

  func checkNetwork(_ fetched: Result<FetchedMetadata?, any Error>) async -> CheckResult {
    let network = NetworkSettings(environment, caFile: configuration?.http.caFile)
    let checked = await BackgroundThread.run { _ in Result { () throws(FileError) in try network.checkCAFile() } }
    if case .failure(let error) = checked, let hint = error.hint {
      return .failed("the trusted certificates can't be used: \(error)", hint)
    }
    let unreadable = await BackgroundThread.run { _ in
      [network.caFile, network.caDirectory].compactMap(\.self).first { access($0, R_OK) != 0 }
    }
    if let unreadable {
      return .failed(
        "the trusted certificates can't be read: \(unreadable.printable(limit: 200))",
        network.checkCASetting
      )
    }
    if let flaw = network.proxyFlaw { return .failed(flaw.message, flaw.hint) }
    if network.hasProxy, let error = await proxyFailure(fetched) { return .failed(error) }
    return .ok(network.description)
  }

  private func proxyFailure(_ fetched: Result<FetchedMetadata?, any Error>) async -> AuthenticationError? {
    if let configuration, (try? WebURL(configuration.authority.url, .request))?.isLoopback == false {
      // The request to the provider went through it, unless the host is excluded.
      guard case .failure(let error) = fetched else { return nil }
      let failure = AuthenticationError(wrapping: error)
      return failure.proxyFault == nil ? nil : failure
    }
    let transport = CurlTransport(
      environment: environment,
      caFile: configuration?.http.caFile,
      limits: TransferLimits(connect: timeout, total: timeout)
    )
    do throws(AuthenticationError) {
      // A name that never exists (RFC 6761 §6.4), so only the proxy can respond, and refuses it.
      _ = try await transport.send(HTTPRequest(.get, "https://msauth-doctor.invalid/"))
    } catch {
      return error.proxyFault == .unusable ? error : nil
    }
    return nil
  }

  func checkRuntimeDirectory() async throws(AuthenticationError) -> CheckResult {
    try await BackgroundThread.run { [environment] _ throws(AuthenticationError) in
      guard let path = try XDGDirectories(environment: environment).runtime else {
        return .warning("XDG_RUNTIME_DIR is unset or not absolute", .createRuntimeDirectory)
      }
      let directory = RuntimeDirectory(path)
      if let flaw = directory.flaw { return .warning("\(path.printable(limit: 200)) \(flaw)", .createRuntimeDirectory) }
      return .ok(path.printable(limit: 200) + (directory.endsWithSession ? "" : ", which outlives the session"))
    }
  }

  /// Reports the version and the accounts; requests no token.
  func checkBroker() async -> CheckResult {
    guard let configuration, let context = try? context(of: configuration) else { return .withoutConfiguration }
    guard configuration.usesBroker() else {
      return .skipped(configuration.brokerUse == .never ? "turned off" : "not used with this provider")
    }
    do {
      let names = try await context.brokerAccounts().map(\.username)
      let version = (try? await context.brokerVersion()) ?? "of unknown version"
      let found = "the identity broker \(version) has \(names.isEmpty ? "no account" : names.joined(separator: ", "))"
      return names.isEmpty ? .warning(found, "sign in to this device first") : .ok(found.printable(limit: 400))
    } catch {
      let failure = error.error
      if configuration.requiresBroker() { return .failed(failure) }
      guard error.isAbsent else { return .warning(failure.message, failure.hint) }
      return .skipped("there is none; only a policy that requires a managed device needs one")
    }
  }

  func checkPages() async -> CheckResult {
    let folders = await BackgroundThread.run { [environment] _ in try? XDGDirectories(environment: environment) }
    guard let configuration, let folders else { return .withoutConfiguration }
    let problems = await configuration.pageDesign(in: folders.templateDirectories).problems
    return problems.isEmpty ? .ok("the template and the logo can be used") : .warning(problems.joined(separator: "; "))
  }

  func checkDevice() async throws(AuthenticationError) -> CheckResult {
    let device = try await BackgroundThread.run { [settings] _ throws(AuthenticationError) in
      try settings.deviceInformation()
    }
    return .ok("the device is in \(device.mode.rawValue) mode")
  }
}
