import ArgumentParser
import MSAuth
import MSAuthPreferences

/// An option's value that is one of several words.
protocol Choice: CheckedArgument, CaseIterable, RawRepresentable<String> {
  /// The option's name, for errors.
  static var option: String { get }
}

extension Choice {
  static var option: String { "--output" }
  static var completion: CompletionKind { .values(of: Self.self) }

  init(argument: String) throws(AuthenticationError) {
    self = try Sourced(argument, .flag(Self.option)).choice(Self(rawValue: argument), reason: "usage")
  }
}
