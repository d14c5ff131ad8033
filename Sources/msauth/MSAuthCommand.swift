import ArgumentParser
import MSAuth

/// The command line: one subcommand per verb.
///
/// Each has a `commandName`: the one that ArgumentParser derives from the type costs two fifths of a start's instructions.
/// Each has a `_superCommandName` too: a verb is parsed alone, and need not look for `--generate-completion-script`, which
/// costs a fifteenth of them.
struct MSAuthCommand: AsyncParsableCommand {
  static let name = "msauth"
  static let configuration = CommandConfiguration(
    commandName: name,
    abstract: "Microsoft-style sign-in for desktop Linux.",
    discussion: """
      Signs people in through the system browser, stores their accounts, and prints tokens.

      Results go to stdout, everything else to stderr. Exit codes: 0 done, 1 failed, 2 sign-in needed, 3 denied, \
      4 timed out, 5 provider unreachable, 6 token store, 7 several accounts fit, 64 usage, 78 configuration.

      Settings that stay the same go into ~/.config/msauth/config.json, the logo and colour of the pages too; templates of \
      the pages go into ~/.config/msauth/templates.
      """,
    version: MSAuthVersion.current,
    // Each by itself: a list is cast by a search for conformances.
    subcommands: verbs.map { $0 }
  )

  static let verbs: [any AsyncParsableCommand.Type] = [
    Init.self, Login.self, Token.self, Status.self, Accounts.self, Switch.self, Logout.self, Graph.self, Device.self,
    Doctor.self, Config.self, Exec.self, GitCredential.self,
  ]
}
