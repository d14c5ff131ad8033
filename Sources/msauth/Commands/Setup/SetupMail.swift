import ArgumentParser
import FoundationEssentials
import MSAuth
import MSAuthDesktop
import MSAuthPreferences
import MSAuthUnix

struct SetupMail: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "mail",
    abstract: "Let msmtp, mutt or neomutt sign in to a mailbox.",
    discussion: """
      Writes a block of settings into the program's file. Everything else in it is left untouched, and a copy is kept \
      beside it. With Microsoft Entra ID, the default is Microsoft's servers and their scopes. The token, from msauth \
      token, is for the account with this username or mail address; for another mailbox, such as a shared one, pass \
      --account.

      EXAMPLES
        $ msauth setup mail ada@contoso.example --client mutt
        $ msauth setup mail ada@id.example --client msmtp --smtp mail.id.example
      """
  )

  @Argument(help: "The mailbox's address.")
  var address: String

  @Option(name: .customLong("client"), help: .value("program", "msmtp, mutt or neomutt."))
  var program: MailProgram

  @Option(help: .value("server", "IMAP server, as HOST or HOST:PORT. Default port: 993."))
  var imap: MailServer?

  @Option(help: .value("server", "SMTP server, as HOST or HOST:PORT. Default port: 587."))
  var smtp: MailServer?

  @OptionGroup var options: SetupOptions

  private typealias ExchangeHosts = (api: String, imap: String, smtp: String)

  /// The hosts of Exchange Online in the authority's cloud.
  private static func exchangeHosts(_ authority: Authority) -> ExchangeHosts {
    switch authority.cloud {
    case .china: ("partner.outlook.cn", "partner.outlook.cn", "smtp.partner.outlook.cn")
    case .usGovernment: ("outlook.office365.us", "outlook.office365.us", "smtp.office365.us")
    default: ("outlook.office.com", "outlook.office365.com", "smtp.office365.com")
    }
  }

  func validate() throws {
    try reject(mistakes: [
      "the address must be like ada@contoso.example, without spaces, quotes or wildcards": !Self.isUsable(address),
      "--imap needs --client mutt or neomutt": imap != nil && program == .msmtp,
    ])
    let needed = [address, "--client", program.rawValue]
    try options.rejectIgnored(["--imap": imap != nil, "--smtp": smtp != nil], needed)
  }

  func run() async throws {
    let mail = try MailConfiguration(of: program, for: address)
    if options.mode.remove { return try await mail.remove() }

    // 1. The settings.
    let settings = try options.settings
    let authority = settings.application.authority
    let exchange = authority.kind == .aad ? Self.exchangeHosts(authority) : nil
    let servers = try servers(in: exchange)
    var scopes = options.scope.names
    if let exchange, scopes.isEmpty, imap == nil, smtp == nil, !settings.hasScopesOfOtherResource {
      scopes = ["IMAP.AccessAsUser.All", "SMTP.Send"].map { "https://\(exchange.api)/\($0)" }
    }
    try settings.requireScope(scopes, for: "this mail server", hint: "add the server's --scope")

    // 2. The account.
    var session = try await Session(settings, scopes: scopes)
    // MSAUTH_ACCOUNT is for commands that name no account.
    var account = options.accountOption.account
    if account == nil {
      account = try await session.client.account(withNameOrMailAddress: address)?.username ?? address
    }
    session.parameters.username = account

    // 3. The block in the program's file.
    let command = ["msauth", "token"] + Setup.options(for: settings, scopes: scopes, adding: ["account": account])
    let block = try mail.block(servers, isExchange: exchange != nil, running: command)
    if options.mode.print { return try Console.result(block.joined(separator: "\n")) }
    if try await mail.set(block) { try Console.result(block.joined(separator: "\n")) }
    try await checkToken(session, scopes)
  }

  /// Gets a token as the program will.
  private func checkToken(_ session: Session, _ scopes: [String]) async throws(AuthenticationError) {
    let name = program.rawValue
    let path = ProcessInfo.processInfo.environment["PATH"]
    if findProgram(name, path: path) == nil { Console.notice(commandNotFound(name)) }
    Setup.noticeMissingLink(for: name)
    let login = Invocation.login(scopes: scopes)
    let signIn: Hint =
      options.accountOption.account == nil
      ? """
      sign in: \(command: login + Invocation.option("--login-hint", address)); for another mailbox, set it up again with \
      --account
      """
      : "sign in: \(command: login)"
    let hasToken = try await Setup.checkToken(for: name, of: address, signIn: signIn) {
      _ = try await session.token().bearerToken()
    }
    guard hasToken, program == .msmtp else { return }
    Console.suggest("send mail: \(command: ["msmtp", "-a", address, "TO"])")
  }

  private func servers(in exchange: ExchangeHosts?) throws -> MailConfiguration.Servers {
    let imap = try imap ?? exchange.map { try MailServer(argument: $0.imap) }
    guard let smtp = try smtp ?? exchange.map({ try MailServer(argument: $0.smtp) }), program == .msmtp || imap != nil
    else {
      let hint: Hint = program != .msmtp ? "add --imap HOST and --smtp HOST" : "add --smtp HOST"
      throw AuthenticationError.usage("the mail server must be named for this provider", hint: hint)
    }
    return (imap, smtp)
  }

  /// Whether the address needs no quotes in either file; in msmtp, `%U`, `*` and `?` have meanings.
  private static func isUsable(_ address: String) -> Bool {
    let parts = address.split(at: "@")
    return parts.count == 2 && parts.allSatisfy { !$0.isEmpty }
      && parts[0].utf8.allSatisfy { $0.isASCIIAlphanumeric || "!#&'+-./=^_{|}~".utf8.contains($0) }
      && parts[1].utf8.allSatisfy { $0.isASCIIAlphanumeric || "-.".utf8.contains($0) }
  }
}
