import ArgumentParser
import MSAuth

/// An argument's value whose initializer throws the reason why it isn't valid; `ExpressibleByArgument`'s returns `nil`.
protocol CheckedArgument: SendableMetatype {
  /// Throws an error whose message continues the option's name, such as `"x" isn't valid`.
  init(argument: String) throws(AuthenticationError)
  static var completion: CompletionKind { get }
}

extension CheckedArgument { static var completion: CompletionKind { .default } }

extension Option {
  init(name: NameSpecification = .long, help: ArgumentHelp) where Value: CheckedArgument {
    self.init(name: name, help: help, completion: Value.completion, transform: { try Value(argument: $0) })
  }

  init<T: CheckedArgument>(name: NameSpecification = .long, help: ArgumentHelp) where Value == T? {
    self.init(name: name, help: help, completion: T.completion, transform: { try T(argument: $0) })
  }

  init<T: CheckedArgument>(wrappedValue: [T], name: NameSpecification = .long, help: ArgumentHelp) where Value == [T] {
    self.init(
      wrappedValue: wrappedValue,
      name: name,
      help: help,
      completion: T.completion,
      transform: { try T(argument: $0) }
    )
  }
}

extension Argument where Value: CheckedArgument {
  init(help: ArgumentHelp) { self.init(help: help, transform: { try Value(argument: $0) }) }
}
