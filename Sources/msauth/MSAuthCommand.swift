import ArgumentParser
import MSAuth

struct MSAuthCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "msauth",
    abstract: "Microsoft-style sign-in for desktop Linux.",
    discussion: """
      Signs users in through the system browser, stores their accounts, and prints tokens.

      Results go to stdout, everything else to stderr. Exit codes: 0 done, 1 failed, 2 sign-in needed, 3 denied, \
      4 timed out, 5 provider unreachable, 6 token store, 7 several accounts fit, 64 usage, 78 configuration.

      Settings go into ~/.config/msauth/config.json, including the pages' logo and color; page templates go into \
      ~/.config/msauth/templates.
      """,
    version: MSAuthVersion.current,
    subcommands: [
      Init.self, Login.self, Token.self, Status.self, Accounts.self, Switch.self, Logout.self, Graph.self, Device.self,
      Doctor.self, Config.self, Exec.self, Serve.self, GitCredential.self, DockerCredential.self, MCP.self,
    ]
  )
}
