import Glibc
import MSAuthCrypto
import MSAuthDesktop
import MSAuthTransport
import MSAuthUnix

extension Dependencies {
  /// The real browser, network, clock, random source and token store.
  static func system(for configuration: ClientConfiguration) async throws -> Dependencies {
    let environment = configuration.environment
    let (folders, device, session) = try await BackgroundThread.runBriefly { _ in
      (
        try XDGDirectories.standard(environment),
        try DeviceInformation(
          contentsOf: configuration.deviceConfigurationFile,
          writtenBy: configuration.deviceAdministrator
        ),
        DesktopSession(environment: environment)
      )
    }
    for variable in folders.ignored { configuration.log(.warning, "\(person: variable.description)") }
    let choice = try await BackgroundThread.runBriefly { _ in
      device.mode == .shared ? try configuration.store.onSharedDevice(in: folders) : configuration.store
    }
    let store = try await choice.choice(
      in: folders,
      session: session,
      item: configuration.keyringItem,
      keyFile: configuration.storeKeyFile
    ) { configuration.log(.warning, "\(person: $0)") }
    return Dependencies(
      transport: try systemTransport(for: configuration),
      browser: SystemBrowser(command: configuration.browser, environment: environment, session: session),
      session: session,
      store: store,
      device: device,
      documents: DiskDocumentCache(directory: folders.cache),
      templateDirectories: PageFiles.templateDirectories(in: folders),
      clock: SystemClock(),
      random: SystemRandom()
    )
  }
}

extension Dependencies {
  /// Requests over the real network, each logged.
  static func systemTransport(for configuration: ClientConfiguration) throws(AuthenticationError) -> RetryingTransport {
    try configuration.http.check()
    let transport = CurlTransport(
      userAgent: "msauth/\(MSAuthVersion.current)",
      environment: configuration.environment,
      authorities: configuration.http.caFile,
      limits: TransferLimits(total: configuration.http.requestTimeout)
    ) { exchange in
      let answer = exchange.status.map(String.init) ?? "no response"
      configuration.log(
        .info,
        "\(exchange.method.rawValue) \(organization: exchange.url): \(answer), \(exchange.milliseconds) ms"
      )
    }
    return RetryingTransport(base: transport, settings: configuration.http)
  }
}

/// The system's clock.
struct SystemClock: WallClock {
  func now() -> UnixTime { UnixTime(Glibc.time(nil)) }
}

/// Real time.
struct SystemPause: Pausing {
  func pause(seconds: Int64) async throws {
    try await Task.sleep(for: .seconds(seconds))
  }
}
