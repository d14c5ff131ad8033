package import MSAuthDesktop
package import MSAuthTransport
import MSAuthUnix

/// The outside world as flows use it; a test can replace each piece.
package struct Dependencies: Sendable {
  var transport: any HTTPTransport
  var browser: any BrowserOpening
  package var session: DesktopSession
  var store = StoreChoice(MemoryStore())
  var device = DeviceInformation(mode: .privateDevice)
  var documents: (any DocumentCache)?
  /// The directories that may contain a template of the pages; the first with one is used.
  var templateDirectories: [String] = []
  /// How long to wait for the browser to fetch the last page: immediate, unless the machine is busy or the tab was closed.
  var pageTimeout: Duration = .seconds(10)
  var clock: any WallClock = SystemClock()
  /// Whether this is background work, which never prompts and never looks up a tenant.
  private(set) var isInBackground = false
  /// Waits before the next poll of the token endpoint, or the next look at the store's file.
  var pause: @Sendable (_ seconds: Int64) async throws -> Void = { try await Task.sleep(for: .seconds($0)) }
}

/// An application's configuration and the dependencies of its flows.
package struct Context: Sendable {
  package let configuration: ClientConfiguration
  package let dependencies: Dependencies

  var clientID: String { configuration.clientID }
  package init(configuration: ClientConfiguration, dependencies: Dependencies) {
    (self.configuration, self.dependencies) = (configuration, dependencies)
  }

  package var store: StoreChoice { dependencies.store }
  package var now: UnixTime { dependencies.clock.now() }
  package var isOnSharedDevice: Bool { dependencies.device.mode == .shared }

  /// Logs a response's invalid optional members.
  package func log(ignoredMembers names: [String]) {
    guard !names.isEmpty else { return }
    let names = names.joined(separator: ", ")
    configuration.log(.warning, "the provider's response has no usable \(user: names); the rest is used")
  }
}

extension Context: Redacted {
  package var description: String { "\(configuration)" }
}

extension Dependencies {
  /// The real browser, network, clock and token store.
  package static func system(for configuration: ClientConfiguration) async throws(AuthenticationError) -> Dependencies {
    let environment = configuration.environment
    let (folders, session, device) = try await BackgroundThread.run(isBrief: true) { _ throws(AuthenticationError) in
      (
        try XDGDirectories(environment: environment), DesktopSession(environment: environment),
        try configuration.deviceInformation()
      )
    }
    for warning in folders.warnings { configuration.log(.warning, "\(user: warning)") }
    var dependencies = try withoutFiles(for: configuration, in: session)
    dependencies.store = try await configuration.openStore(in: folders, session: session, on: device) {
      configuration.log(.warning, "\(user: $0)")
    }
    dependencies.device = device
    dependencies.documents = DiskDocumentCache(directory: folders.cache)
    dependencies.templateDirectories = folders.templateDirectories
    return dependencies
  }

  /// The real browser and network, with a store in memory and without cached documents.
  static func withoutFiles(for configuration: ClientConfiguration, in session: DesktopSession)
    throws(AuthenticationError) -> Dependencies
  {
    let (command, environment) = (configuration.browser, configuration.environment)
    let browser = SystemBrowser(command: command, environment: environment, session: session)
    return Dependencies(transport: try systemTransport(for: configuration), browser: browser, session: session)
  }

  /// These dependencies for work in the background.
  var inBackground: Dependencies {
    var copy = self
    (copy.isInBackground, copy.store) = (true, store.withoutPrompts)
    return copy
  }

  /// These dependencies for a diagnosis, which writes nothing and reads what the provider serves now.
  package var readOnly: Dependencies {
    var copy = inBackground
    copy.documents = nil
    return copy
  }

  /// Requests over the real network, each logged.
  package static func systemTransport(for configuration: ClientConfiguration) throws(AuthenticationError)
    -> any HTTPTransport
  {
    try configuration.http.check()
    let transport = CurlTransport(
      userAgent: "msauth/\(MSAuthVersion.current)",
      environment: configuration.environment,
      caFile: configuration.http.caFile,
      limits: TransferLimits(total: configuration.http.requestTimeout)
    ) { exchange in
      let status = exchange.status.map(String.init) ?? "no response"
      configuration.log(
        .info,
        "\(exchange.method.rawValue) \(organization: exchange.url): \(status), \(exchange.milliseconds) ms"
      )
    }
    return RetryingTransport(base: transport, settings: configuration.http)
  }
}
