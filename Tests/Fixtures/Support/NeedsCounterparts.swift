package import Testing

extension Trait where Self == ConditionTrait {
  /// For a suite with a keyring, a desktop portal, other shells, or the ported application.
  package static var needsCounterparts: Self {
    let isQuick = ProcessInfo.processInfo.environment["MSAUTH_TEST_QUICK"] != nil
    return .disabled(if: isQuick, "tests against what Tests/run --quick doesn't install")
  }
}
