import ArgumentParser
import MSAuth

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
    guard let choice = Self(rawValue: argument) else {
      let message = "unknown value \(argument.printable(limit: 40).quoted) for \(Self.option)"
      let words = Self.allCases.map(\.rawValue).joined(separator: ", ")
      ArgumentError.report(message, hint: "choose one of \(words)")
      return nil
    }
    self = choice
  }
}
