import Glibc
import MSAuthDesktop
import MSAuthTransport
import MSAuthUnix

/// The checks of this computer.
extension Diagnosis {
  func checkSession() -> CheckResult {
    let facts = session.facts.joined(separator: ", ")
    if let user = session.sudoUser { return CheckResult("session", .warning, facts, .withoutSudo(as: user)) }
    return CheckResult("session", .ok, facts)
  }

  func checkBrowser() async -> CheckResult {
    let browser = SystemBrowser(command: configuration?.browser, environment: environment, session: session)
    do throws(Failure) {
      let programs = try await browser.programs()
      if let found = programs.first(where: { $0.path != nil }), let path = found.path {
        let program = "\(found.name.printable(limit: 60)) (\(path.printable(limit: 200)))"
        return found.isChosen ? CheckResult("browser", .ok, program) : await checkRegisteredBrowser(opener: program)
      }
      let names = programs.map { $0.name.printable(limit: 60) }.joined(separator: ", ")
      return CheckResult(
        "browser",
        .failed,
        "no program opens addresses here: \(names) not found",
        "install xdg-utils"
      )
    } catch {
      guard error.reason == .noDisplay else { return CheckResult("browser", .failed, error.message, .checkBrowser) }
      // Which port a sign-in will listen on is known where it stays the same, and else does not matter here.
      let hint: Hint =
        session.isVSCodeRemote
        ? "open the address in a browser on this computer, or use \(setting: "device_code", or: "a device code")"
        : session.hintForNoBrowser(port: session.preferredPort ?? 0)
      return CheckResult("browser", .warning, "\(error.message): no browser opens here", hint)
    }
  }

  /// What an opener of the desktop's opens: it needs a browser that is registered for web addresses.
  private func checkRegisteredBrowser(opener: String) async -> CheckResult {
    let browsers = await InstalledBrowsers.find(environment: environment)
    if let name = browsers.defaultName {
      return CheckResult("browser", .ok, "\(name.printable(limit: 100)), by \(opener)")
    }
    // In a sandbox and under Windows the desktop is elsewhere.
    guard session.sandbox == nil, !session.isWSL else { return CheckResult("browser", .ok, opener) }
    if browsers.choices.isEmpty {
      return CheckResult(
        "browser",
        .warning,
        "\(opener), and no browser is registered for https addresses",
        "install a browser, or name its command"
      )
    }
    return CheckResult("browser", .ok, "\(opener); no browser is the default one")
  }

  func checkNetwork(_ answer: ProviderAnswer) async -> CheckResult {
    let network = NetworkSettings(environment, authorities: configuration?.http.caFile)
    let refused = await BackgroundThread.run { _ in Result { () throws(FileError) in try network.checkAuthorities() } }
    if case .failure(let error) = refused, let hint = error.hint {
      return CheckResult("network", .failed, "the trusted certificates cannot be used: \(error)", hint)
    }
    let unreadable = await BackgroundThread.run { _ in
      [network.authorities, network.authorityDirectory].compactMap(\.self).first { access($0, R_OK) != 0 }
    }
    if let unreadable {
      return CheckResult(
        "network",
        .failed,
        "the trusted certificates cannot be read: \(unreadable.printable(limit: 200))",
        """
        check the file, and where it is named: \(setting: "ca_file", or: "the configuration"), CURL_CA_BUNDLE, SSL_CERT_FILE \
        or SSL_CERT_DIR
        """
      )
    }
    if let hint = network.proxyHint {
      if let flaw = network.proxyFlaw { return CheckResult("network", .failed, flaw, hint) }
      if let failure = await failure(of: network, hint, answer) {
        return CheckResult("network", .failed, failure, hint)
      }
    }
    return CheckResult("network", .ok, network.description)
  }

  /// Why the proxy does not serve; nil if it answers.
  private func failure(of network: NetworkSettings, _ hint: Hint, _ answer: ProviderAnswer) async -> String? {
    if let configuration, (try? WebURL(configuration.authority.url, .request))?.isLoopback == false {
      // The provider was asked through it, unless it is excepted.
      guard case .failure(let error) = answer, error.hint == hint else { return nil }
      return error.message
    }
    let transport = CurlTransport(
      environment: environment,
      authorities: configuration?.http.caFile,
      limits: TransferLimits(connect: timeout, total: timeout)
    )
    do throws(Failure) {
      // A name that is nobody's (RFC 6761 §6.4): the proxy has to answer, and nobody else.
      _ = try await transport.send(HTTPRequest(.get, "https://msauth-doctor.invalid/"))
    } catch {
      return error.hint == hint ? error.message : nil
    }
    return nil
  }

  func checkRuntimeDirectory() async -> CheckResult {
    let name = "runtime_directory"
    let directories: XDGDirectories
    do {
      directories = try await BackgroundThread.run { [environment] _ in try XDGDirectories.standard(environment) }
    } catch {
      return CheckResult(name, AuthenticationError(wrapping: error))
    }
    guard let path = directories.runtime?.parentDirectory else {
      return CheckResult(name, .warning, "XDG_RUNTIME_DIR is unset or not absolute", .startLoginSession)
    }
    let (flaw, endsWithSession) = await BackgroundThread.run { _ in
      (RuntimeDirectory(path).flaw, RuntimeDirectory(path).endsWithSession)
    }
    if let flaw { return CheckResult(name, .warning, "\(path.printable(limit: 200)) \(flaw)", .startLoginSession) }
    return CheckResult(name, .ok, path.printable(limit: 200) + (endsWithSession ? "" : ", which outlives the session"))
  }

  func checkPages() async -> CheckResult {
    let folders = await BackgroundThread.run { [environment] _ in try? XDGDirectories.standard(environment) }
    guard let configuration, let folders else { return CheckResult("pages", .skipped, "there is no configuration") }
    let problems = await PageFiles(configuration, directories: PageFiles.templateDirectories(in: folders)).problems()
    guard problems.isEmpty else { return CheckResult("pages", .warning, problems.joined(separator: "; ")) }
    return CheckResult("pages", .ok, "the template, and the logo if there is one, can be used")
  }

  func checkDevice() async -> CheckResult {
    let file = configuration?.deviceConfigurationFile ?? DeviceInformation.standardFile
    let administrator = configuration?.deviceAdministrator ?? 0
    do {
      let device = try await BackgroundThread.run { _ in
        try DeviceInformation(contentsOf: file, writtenBy: administrator)
      }
      return CheckResult("device", .ok, "the device is in the \(device.mode.rawValue) mode")
    } catch {
      return CheckResult("device", AuthenticationError(wrapping: error))
    }
  }
}
