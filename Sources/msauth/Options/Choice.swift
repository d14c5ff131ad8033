import ArgumentParser
import MSAuth
import MSAuthPreferences

/// An option's value that is one of several words.
protocol Choice: ExpressibleByArgument, CaseIterable, RawRepresentable<String> {
  /// The option's name, for errors.
  static var option: String { get }
}

extension Choice {
  static var option: String { "--output" }
  /// Empty, since the option's help already lists the values.
  static var allValueStrings: [String] { [] }
  static var defaultCompletionKind: CompletionKind { .values(of: Self.self) }

  init?(argument: String) {
    do throws(AuthenticationError) {
      self = try Sourced(argument, .flag(Self.option)).choice(Self(rawValue: argument), reason: "option_invalid")
    } catch {
      ArgumentError.report(error)
      return nil
    }
  }
}
