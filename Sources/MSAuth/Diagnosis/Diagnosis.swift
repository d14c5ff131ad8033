public import FoundationEssentials
import MSAuthCrypto
import MSAuthDesktop
import MSAuthUnix

/// Checks everything that a sign-in needs, and changes nothing: it opens no browser, never prompts, and leaves no file.
public struct Diagnosis: Sendable {
  /// The application's configuration; nil where there is none that can be used.
  let configuration: ClientConfiguration?
  let environment: [String: String]
  let session: DesktopSession
  /// How long a check may take.
  let timeout: Duration

  /// Makes a diagnosis.
  ///
  /// - Parameters:
  ///   - configuration: The application's configuration; nil if there is none that can be used.
  ///   - environment: The environment; by default the process's own.
  ///   - timeout: How long a check may take.
  public init(
    of configuration: ClientConfiguration?,
    environment: [String: String] = ProcessInfo.processInfo.environment,
    timeout: Duration
  ) async {
    self.configuration = configuration
    self.environment = environment
    self.timeout = timeout
    session = await BackgroundThread.run { _ in DesktopSession(environment: environment) }
  }

  /// Makes all checks at the same time.
  ///
  /// - Parameter report: Called with each result, in a fixed order.
  public func run(_ report: (CheckResult) throws -> Void) async rethrows {
    // Three checks need what another one finds out.
    let keyring = Task { await keyringState() }
    let provider = Task { await providerAnswer() }
    let port = Task { boundPort() }
    let checks = [
      limited("session") { checkSession() },
      limited("browser") { await checkBrowser() },
      limited("network") { await checkNetwork(provider.value) },
      limited("runtime_directory") { await checkRuntimeDirectory() },
      limited("device") { await checkDevice() },
      limited("pages") { await checkPages() },
      limited("keyring") { await checkKeyring(keyring.value) },
      limited("store") { await checkStore(keyring.value) },
      limited("provider") { checkProvider(await provider.value) },
      limited("clock") { checkClock(await provider.value) },
      limited("port") { checkPort(await port.value) },
      limited("registration") { await checkRegistration(provider.value, port.value) },
    ]
    try await withTaskCancellationHandler {
      for check in checks { try report(await check.value) }
    } onCancel: {
      for check in checks { check.cancel() }
      keyring.cancel()
      provider.cancel()
    }
  }

  /// Starts a check, and leaves it behind when it takes too long: a file on a dead network drive, for instance.
  private func limited(
    _ name: String,
    _ check: @escaping @Sendable () async -> CheckResult
  ) -> Task<CheckResult, Never> {
    Task {
      let result = OneShot<CheckResult>()
      let work = Task { result.resume(await check()) }
      defer { work.cancel() }
      // A check that waits for another one gets a little longer than that one's own limit.
      let outcome = try? await withTimeout(timeout + .seconds(1)) { try await result.value() }
      return outcome ?? CheckResult(name, .failed, "no result within \(timeout.words)", .tryAgain)
    }
  }
}

/// The result of one check of ``Diagnosis``.
public struct CheckResult: Sendable, Equatable {
  /// How a check ended.
  public enum Status: String, Sendable {
    /// Nothing is wrong.
    case ok
    /// A sign-in may work all the same.
    case warning
    /// Something is wrong.
    case failed
    /// The check could not be made, or there was nothing to check.
    case skipped
  }

  /// What was checked, as a stable word such as `runtime_directory`.
  public let name: String
  /// How it ended.
  public let status: Status
  /// What was found, in one sentence without a full stop.
  public let message: String
  /// What to do about it.
  public let hint: Hint?

  /// Makes a result.
  public init(_ name: String, _ status: Status, _ message: String, _ hint: Hint? = nil) {
    self.name = name
    self.status = status
    self.message = message
    self.hint = hint
  }

  /// Makes the result of a check that an error ended.
  public init(_ name: String, _ error: AuthenticationError, status: Status = .failed) {
    self.init(name, status, error.message, error.hint)
  }
}
