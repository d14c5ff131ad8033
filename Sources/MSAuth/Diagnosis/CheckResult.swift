import Core

/// What came of one check of ``Diagnosis``.
package struct CheckResult: Sendable, Equatable {
  package enum Status: String, Sendable {
    case ok, warning, failed
    /// It could not be made, or there was nothing to look at.
    case skipped
  }

  /// What was checked, as a stable word such as `runtime_directory`.
  package let name: String
  package let status: Status
  /// What was found, in one sentence without a full stop.
  package let message: String
  /// What to do about it.
  package let hint: Hint?

  package init(_ name: String, _ status: Status, _ message: String, _ hint: Hint? = nil) {
    self.name = name
    self.status = status
    self.message = message
    self.hint = hint
  }

  /// A check that an error ended.
  package init(_ name: String, _ error: AuthenticationError, status: Status = .failed) {
    self.init(name, status, error.message, error.hint)
  }
}
