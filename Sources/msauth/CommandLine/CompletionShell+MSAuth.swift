import ArgumentParser
import FoundationEssentials
import MSAuth
import MSAuthDesktop

extension CompletionKind {
  /// Computed when a shell's completion script is generated.
  static var accounts: CompletionKind {
    let shell = CompletionShell.requesting ?? .fish
    return .shellCommand("msauth accounts --complete \(shell.rawValue) -- \(shell.typedWords) 2>/dev/null")
  }

  /// The profiles whose names no shell would expand.
  static let profiles: CompletionKind =
    .shellCommand("msauth config profiles 2>/dev/null | grep -x '[A-Za-z0-9_.][A-Za-z0-9_.-]*'")

  static func values<Value: CaseIterable & RawRepresentable<String>>(of _: Value.Type) -> CompletionKind {
    .list(Value.allCases.map(\.rawValue))
  }
}

extension CompletionShell {
  /// Adds the commands that `msauth help` takes, which the parser doesn't complete, to a shell's script.
  static func completingHelp(in script: String) -> String {
    let names = MSAuthCommand.configuration.subcommands.compactMap { $0.configuration.commandName }
    let words = (names + ["options"]).joined(separator: " ")
    let bash = "complete -o filenames -F _msauth msauth"
    let function = "[[ ${#unparsed_words[@]} -gt 1 ]] || COMPREPLY=($(compgen -W '\(words)' -- \"${cur}\"))"
    let fish = "complete -c 'msauth' -f"
    let condition = "__msauth_should_offer_completions_for_positional \"msauth help\" -eq 1"
    return script.replacing(bash, with: "_msauth_help() { \(function); }\n\(bash)")
      .replacing("'*:subcommands:'", with: "'1:subcommands:(\(words))'")
      .replacing("\(fish)\n", with: "\(fish)\n\(fish)ka '\(words)' -n '\(condition)'\n")
  }

  /// The words before the cursor, as arguments in this shell's completion script.
  fileprivate var typedWords: String {
    switch self {
    // Bash's words are split at = and : too.
    case .bash: #""$COMP_LINE""#
    case .zsh: #""${words[@]}""#
    default: "(commandline -opc)"
    }
  }

  /// The typed options that choose the accounts; `nil` if the shell would expand one of their values.
  func options(among words: [String]) throws -> ProviderOptions? {
    let words = self == .bash ? words.flatMap { $0.split(separator: " ").map(String.init) } : words
    let home = XDGDirectories.home(in: ProcessInfo.processInfo.environment) ?? "~"
    let options = Invocation.repeating(Invocation.providerOptions, in: words).map { word in
      word.utf8.starts(with: "~/".utf8) ? home + word.dropFirst() : word
    }
    return options.allSatisfy(\.isPlainWord) ? try ProviderOptions.parse(options) : nil
  }

  /// The word as this shell's completion script expects it; `nil` if it can't be shown, or would be an option.
  func candidate(_ word: String) -> String? {
    guard word.isIdentical(to: word.printable()), word.utf8.first != UInt8(ascii: "-") else { return nil }
    return switch self {
    // Bash expands the words of `compgen -W`, and doesn't quote some characters on the command line, such as $ and `.
    case .bash:
      word.utf8.allSatisfy { $0 >= 0x80 || $0.isASCIIAlphanumeric || "@%+=:,./_-#' ".utf8.contains($0) }
        ? word.shellQuoted : nil
    // In zsh, a description follows a colon.
    case .zsh: word.replacingBytes("\\", with: "\\\\").replacingBytes(":", with: "\\:")
    default: word
    }
  }
}
