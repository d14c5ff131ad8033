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
  package func run(_ report: (CheckResult) throws -> Void) async rethrows {
    // Several checks share these results.
    let condition = Task { try await keyring?.check() }
    let provider = Task { try await fetchedMetadata() }
    let port = Task { try boundPort() }
    let checks = [
      limited("session") { await BackgroundThread.run { _ in checkSession() } },
      limited("browser") { await checkBrowser() },
      limited("network") { await checkNetwork(provider.result) },
      limited("runtime_directory") { try await checkRuntimeDirectory() },
      limited("device") { try await checkDevice() },
      limited("pages") { await checkPages() },
      limited("keyring") { await checkKeyring(condition.result) },
      limited("store") { try await checkStore(condition.result) },
      limited("broker") { await checkBroker() },
      limited("provider") { checkProvider(try await provider.value) },
      limited("clock") { checkClock(try? await provider.value) },
      limited("port") { checkPort(try await port.value) },
      limited("registration") { try await checkRegistration(try? provider.value, try? port.value) },
    ]
    try await withTaskCancellationHandler {
      for check in checks { try report(await check.value) }
    } onCancel: {
      for check in checks { check.cancel() }
      condition.cancel()
      provider.cancel()
    }
  }

  /// Starts a check, and abandons it if it takes too long: a file may be on a dead network drive.
  private func limited(
    _ name: String,
    _ check: @escaping @Sendable () async throws -> CheckResult
  ) -> Task<CheckResult, Never> {
    Task {
      let result = OneShot<CheckResult>()
      let work = Task {
        do {
          result.resume(try await check())
        } catch {
          result.resume(CheckResult(name, AuthenticationError(wrapping: error)))
        }
      }
      defer { work.cancel() }
      // A check that waits for another needs more time than the other's limit.
      var finding = try? await withTimeout(timeout + .seconds(1)) { try await result.value() }
      finding?.name = name
      return finding ?? CheckResult(name, .failed, "no result within \(timeout.words)", .tryAgain)
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

  /// The check, as a stable word such as `runtime_directory`.
  package fileprivate(set) var name: String
  package let status: Status
  /// What was found, as one sentence without a period.
  package let message: String
  package let hint: Hint?

  package init(_ name: String, _ status: Status, _ message: String, _ hint: Hint? = nil) {
    self.name = name
    self.status = status
    self.message = message
    self.hint = hint
  }

  /// Creates the result of a check that an error ended.
  package init(_ name: String, _ error: AuthenticationError, status: Status = .failed) {
    self.init(name, status, error.message, error.hint)
  }

  // The results of checks whose names ``Diagnosis`` adds.
  static func ok(_ message: String) -> CheckResult { CheckResult("", .ok, message) }
  static func skipped(_ message: String) -> CheckResult { CheckResult("", .skipped, message) }
  static let withoutConfiguration: CheckResult = .skipped("the configuration is missing or has mistakes")
  static func warning(_ message: String, _ hint: Hint? = nil) -> CheckResult {
    CheckResult("", .warning, message, hint)
  }
  static func failed(_ message: String, _ hint: Hint?) -> CheckResult { CheckResult("", .failed, message, hint) }
  static func failed(_ error: AuthenticationError) -> CheckResult { CheckResult("", error) }
}
