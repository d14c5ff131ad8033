import ArgumentParser
import MSAuth
import MSAuthPreferences

/// An option's value that is one of several words.
protocol ChoiceArgument: CheckedArgument, CaseIterable, RawRepresentable<String> {}

extension ChoiceArgument {
  static var completion: CompletionKind { .values(of: Self.self) }

  init(argument: String) throws(AuthenticationError) {
    guard let choice = Self(rawValue: argument) else {
      throw .usage("\(argument.printable(limit: 80).quoted) isn't valid", hint: .choose(from: Self.self))
    }
    self = choice
  }
}

extension Prompt: ChoiceArgument {}
extension ResponseMode: ChoiceArgument {}
