import FoundationEssentials
import MSAuthDesktop
import MSAuthUnix

/// Checks everything that a sign-in needs, read-only: opens no browser, never prompts, and leaves no file.
package struct Diagnosis: Sendable {
  let configuration: ClientConfiguration?
  let environment: [String: String]
  let session: DesktopSession
  let timeout: Duration

  package init(
    of configuration: ClientConfiguration?,
    environment: [String: String] = ProcessInfo.processInfo.environment,
    timeout: Duration
  ) async {
    self.configuration = configuration
    self.environment = environment
    self.timeout = timeout
    session = await BackgroundThread.run { _ in DesktopSession(environment: environment) }
  }

  /// Runs all checks concurrently, and reports the results in a fixed order.
  package func run(_ report: (_ check: String, CheckResult) throws -> Void) async rethrows {
    // Several checks share these results.
    let condition = Task { try await keyring?.check() }
    let provider = Task { try await fetchedMetadata() }
    let port = Task { try boundPort() }
    // Programs compare the names.
    let checks = [
      ("session", limited { await BackgroundThread.run { _ in checkSession() } }),
      ("browser", limited { await checkBrowser() }),
      ("network", limited { await checkNetwork(provider.result) }),
      ("runtime_directory", limited { try await checkRuntimeDirectory() }),
      ("device", limited { try await checkDevice() }),
      ("pages", limited { await checkPages() }),
      ("keyring", limited { await checkKeyring(condition.result) }),
      ("store", limited { try await checkStore(condition.result) }),
      ("broker", limited { await checkBroker() }),
      ("provider", limited { checkProvider(try await provider.value) }),
      ("clock", limited { checkClock(try? await provider.value) }),
      ("port", limited { checkPort(try await port.value) }),
      ("registration", limited { try await checkRegistration(try? provider.value, try? port.value) }),
    ]
    try await withTaskCancellationHandler {
      for (name, check) in checks { try report(name, await check.value) }
    } onCancel: {
      for (_, check) in checks { check.cancel() }
      condition.cancel()
      provider.cancel()
    }
  }

  /// Starts a check, and abandons it if it takes too long: a file may be on a dead network drive.
  private func limited(_ check: @escaping @Sendable () async throws -> CheckResult) -> Task<CheckResult, Never> {
    Task {
      let result = OneShot<CheckResult>()
      let work = Task {
        do {
          result.resume(try await check())
        } catch {
          result.resume(.failed(AuthenticationError(wrapping: error)))
        }
      }
      defer { work.cancel() }
      // A check that waits for another needs more time than the other's limit.
      let finding = try? await withTimeout(timeout + .seconds(1)) { try await result.value() }
      return finding ?? .failed("no result within \(timeout.words)", .tryAgain)
    }
  }
}

/// The result of one check of ``Diagnosis``.
package struct CheckResult: Sendable, Equatable {
  package enum Status: String, Sendable {
    /// Nothing is wrong.
    case ok
    /// A sign-in may still work.
    case warning
    /// Something is wrong.
    case failed
    /// The check wasn't possible, or there was nothing to check.
    case skipped
  }

  package let status: Status
  /// What was found, as one sentence without a period.
  package let message: String
  package let hint: Hint?

  package init(_ status: Status, _ message: String, _ hint: Hint? = nil) {
    self.status = status
    self.message = message
    self.hint = hint
  }

  package static func ok(_ message: String) -> CheckResult { CheckResult(.ok, message) }
  package static func skipped(_ message: String) -> CheckResult { CheckResult(.skipped, message) }
  package static func warning(_ message: String, _ hint: Hint? = nil) -> CheckResult {
    CheckResult(.warning, message, hint)
  }
  package static func failed(_ message: String, _ hint: Hint?) -> CheckResult { CheckResult(.failed, message, hint) }
  package static func failed(_ error: AuthenticationError) -> CheckResult { .failed(error.message, error.hint) }

  static let withoutConfiguration: CheckResult = .skipped("the configuration is missing or has mistakes")
}
