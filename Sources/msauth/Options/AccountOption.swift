import ArgumentParser

/// The option of every command that is about one account.
struct AccountOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The account: username or identifier; default the current one. [MSAUTH_ACCOUNT]",
      valueName: "account"
    )
  )
  var account: String?
}
