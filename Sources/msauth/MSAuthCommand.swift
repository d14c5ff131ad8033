import ArgumentParser
import MSAuth

/// The command line: one subcommand a verb.
struct MSAuthCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "msauth",
    abstract: "Microsoft-style sign-in for desktop Linux.",
    discussion: """
      Signs people in through their own browser, keeps their accounts, and hands out tokens.

      Results go to stdout, everything else to stderr. Exit codes: 0 done, 1 failed, 2 sign-in needed, 3 denied, \
      4 nobody answered in time, 5 provider unreachable, 6 token store, 64 usage, 78 configuration.
      """,
    version: MSAuthVersion.current,
    subcommands: [
      Login.self, Token.self, Status.self, Accounts.self, Logout.self, Graph.self, Device.self,
    ]
  )
}
