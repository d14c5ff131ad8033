import ArgumentParser
import FoundationEssentials
import Glibc
import MSAuth
import MSAuthDesktop
import MSAuthPreferences
import MSAuthUnix

struct SetupMail: ReportingCommand {
  enum Client: String, Choice {
    case msmtp, mutt, neomutt
  }

  static let configuration = CommandConfiguration(
    commandName: "mail",
    abstract: "Let msmtp, mutt or neomutt sign in to a mailbox.",
    discussion: """
      Writes a block of settings into the program's file. Everything else in it is left untouched, and a copy is kept \
      beside it. With Microsoft Entra ID, the default is Microsoft's servers and their scopes. The token is for the \
      account with this username or mail address; for another mailbox, such as a shared one, pass --account.

      EXAMPLES
        $ msauth setup mail ada@contoso.example --client mutt
        $ msauth setup mail ada@id.example --client msmtp --smtp mail.id.example
      """
  )

  @Argument(help: "The mailbox's address.")
  var address: String

  @Option(help: .value("program", "msmtp, mutt or neomutt."))
  var client: Client

  @Option(help: .value("server", "IMAP server, as HOST or HOST:PORT. Default port: 993."))
  var imap: MailServer?

  @Option(help: .value("server", "SMTP server, as HOST or HOST:PORT. Default port: 587."))
  var smtp: MailServer?

  @OptionGroup var options: SetupOptions

  private typealias ExchangeHosts = (api: String, imap: String, smtp: String)

  /// The hosts of Exchange Online in the authority's cloud.
  private static func exchangeHosts(_ authority: Authority) -> ExchangeHosts {
    let hosts = authority.environmentAliases
    if hosts.contains(Authority.Cloud.china.host) {
      return ("partner.outlook.cn", "partner.outlook.cn", "smtp.partner.outlook.cn")
    }
    if hosts.contains(Authority.Cloud.usGovernment.host) {
      return ("outlook.office365.us", "outlook.office365.us", "smtp.office365.us")
    }
    return ("outlook.office.com", "outlook.office365.com", "smtp.office365.com")
  }

  func validate() throws {
    try reject([
      "the address must be like ada@contoso.example, without spaces, quotes or wildcards": !Self.isUsable(address),
      "--imap needs --client mutt or neomutt": imap != nil && client == .msmtp,
    ])
    let ignored: KeyValuePairs = ["--print": options.mode.print, "--imap": imap != nil, "--smtp": smtp != nil]
    try options.check(ignored, [address, "--client", client.rawValue])
  }

  func run() async throws {
    let path = try path
    if options.mode.remove {
      _ = try await change(path, to: [])
      return
    }
    // 1. The settings.
    let settings = try options.settings
    let authority = settings.application.authority
    let exchange = authority.kind == .aad ? Self.exchangeHosts(authority) : nil
    let servers = try servers(exchange)
    var scopes = options.scope.names
    if let exchange, scopes.isEmpty, imap == nil, smtp == nil, !settings.hasScopesOfOtherResource {
      scopes = ["IMAP.AccessAsUser.All", "SMTP.Send"].map { "https://\(exchange.api)/\($0)" }
    }
    try settings.requireScope(scopes, for: "this mail server", hint: "add the server's --scope")

    // 2. The account.
    var session = try await Session(settings, nil, scopes: scopes)
    // MSAUTH_ACCOUNT is for commands that name no account.
    var account = options.accountOption.account
    if account == nil {
      account = try await session.client.account(withNameOrMailAddress: address)?.username ?? address
    }
    session.parameters.username = account

    // 3. The block in the program's file.
    let command = ["msauth", "token"] + Setup.options(settings, scopes: scopes, ["account": account])
    let block = try block(servers, isExchange: exchange != nil, running: command)
    if options.mode.print { return try Console.result(block.joined(separator: "\n")) }
    if try await change(path, to: block) { try Console.result(block.joined(separator: "\n")) }
    try await check(session, scopes)
  }

  /// Gets a token as the program will.
  private func check(_ session: Session, _ scopes: [String]) async throws(AuthenticationError) {
    let name = client.rawValue
    let path = ProcessInfo.processInfo.environment["PATH"]
    if findProgram(name, path: path) == nil { Console.notice(commandNotFound(name)) }
    Setup.checkPath(for: name)
    let login = Invocation.login(scopes: scopes)
    let signIn: Hint =
      options.accountOption.account == nil
      ? """
      sign in: \(command: login + Invocation.words("--login-hint", address)); for another mailbox, set it up again with \
      --account
      """
      : "sign in: \(command: login)"
    let hasToken = try await Setup.checkToken(for: name, of: address, signIn: signIn) {
      _ = try await session.token().bearerToken()
    }
    guard hasToken, client == .msmtp, !Console.isQuiet else { return }
    Console.hint("send mail: \(command: ["msmtp", "-a", address, "TO"])")
  }

  private func servers(_ exchange: ExchangeHosts?) throws -> (imap: MailServer?, smtp: MailServer) {
    let imap = try imap ?? exchange.map { try MailServer(argument: $0.imap) }
    guard let smtp = try smtp ?? exchange.map({ try MailServer(argument: $0.smtp) }), client == .msmtp || imap != nil
    else {
      let hint: Hint = client != .msmtp ? "add --imap HOST and --smtp HOST" : "add --smtp HOST"
      throw AuthenticationError.usage("the mail server must be named for this provider", hint: hint)
    }
    return (imap, smtp)
  }

  private func block(
    _ servers: (imap: MailServer?, smtp: MailServer),
    isExchange: Bool,
    running command: [String]
  ) throws(AuthenticationError) -> [String] {
    // Either file has one setting per line.
    guard command.allSatisfy({ $0.isIdentical(to: $0.printable(limit: 4096)) }) else {
      throw AuthenticationError.usage("an option has characters that \(client.rawValue)'s file can't have")
    }
    // Exchange Online supports only XOAUTH2, and other servers may support only the standard (RFC 7628).
    let lines = lines(servers, isExchange ? "xoauth2" : "oauthbearer", running: command.shellCommand)
    guard client != .msmtp || lines.allSatisfy({ $0.utf8.count < 500 }) else {
      throw ForeignProgram.configurationError("msmtp accepts at most 499 bytes per line")
        .with(hint: "keep the options in a profile, and pass --profile")
    }
    return marked(lines)
  }

  /// The settings, with TLS from the start on the ports 993 and 465, else with STARTTLS.
  private func lines(
    _ servers: (imap: MailServer?, smtp: MailServer),
    _ mechanism: String,
    running command: String
  ) -> [String] {
    let port = servers.smtp.port ?? 587
    guard client != .msmtp, let imap = servers.imap else {
      // msmtp removes the outer quotes, and interprets no others.
      return [
        "account \(address)", "host \(servers.smtp.host)", "port \(port)", "tls on",
        "tls_starttls \(port == 465 ? "off" : "on")", "auth \(mechanism)", "user \(address)", "from \(address)",
        "passwordeval \"\(command)\"",
      ]
    }
    let imapPort = imap.port ?? 993
    let user = address.utf8.map {
      $0.isASCIIAlphanumeric ? "\(UnicodeScalar($0))" : "%" + String($0, radix: 16, uppercase: true)
    }.joined()
    // mutt and neomutt try these in turn; NeoMutt limits the token's size with OAUTHBEARER.
    let mechanisms = "xoauth2:oauthbearer"
    let settings = [
      ("from", address),
      ("folder", "\(imapPort == 993 ? "imaps" : "imap")://\(imap.host):\(imapPort)/"), ("spoolfile", "+INBOX"),
      ("imap_user", address), ("imap_authenticators", mechanisms),
      ("imap_oauth_refresh_command", command),
      ("smtp_url", "\(port == 465 ? "smtps" : "smtp")://\(user)@\(servers.smtp.host):\(port)/"),
      ("smtp_authenticators", mechanisms), ("smtp_oauth_refresh_command", command),
      ("ssl_starttls", "yes"), ("ssl_force_tls", "yes"),
    ]
    // Single quotes and backslashes mean what they do in a shell (muttrc(5)).
    return settings.map { "set \($0)=\($1.shellQuoted)" }
  }

  private static let beginning = "# BEGIN msauth "

  private func marked(_ lines: [String]) -> [String] {
    [Self.beginning + address] + lines + ["# END msauth \(address)"]
  }

  private typealias Lines = [ArraySlice<UInt8>]

  /// Replaces the address's block, or adds or removes it.
  private func change(_ path: String, to block: [String]) async throws -> Bool {
    var replaced: String?
    let (part, remove) = ("the mailbox \(address)", options.mode.remove)
    let isChanged = try await ForeignProgram.changeFile(at: path, part: part, removing: remove) { old in
      let old = old ?? []
      var lines = old.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      let ending = lines[0].last == UInt8(ascii: "\r") ? "\r" : ""
      let new = block.map { Array(($0 + ending).utf8)[...] }
      if let present = try blockIndices(in: lines, of: path) {
        lines.replaceSubrange(present, with: new)
      } else if !new.isEmpty {
        replaced = Self.lastMailbox(in: lines)
        if lines.last?.isEmpty == true { lines.removeLast() }
        lines += new + [[]]
      }
      if client == .msmtp, !remove { try checkAccount(in: lines, of: path) }
      let changed = Array(lines.joined(separator: [UInt8(ascii: "\n")]))
      return changed == old ? nil : changed
    }
    // mutt and neomutt use the last block's settings; msmtp has accounts.
    if isChanged, client != .msmtp, let replaced {
      Console.notice("\(address) replaces \(replaced.printable(limit: 100)) as \(client.rawValue)'s mailbox")
    }
    return isChanged
  }

  /// The lines of the address's block, if there is one.
  private func blockIndices(in lines: Lines, of path: String) throws(AuthenticationError) -> ClosedRange<Int>? {
    // An editor may have added carriage returns.
    let marks = marked([]).map { mark in lines.indices.filter { lines[$0].trimming("\r").elementsEqual(mark.utf8) } }
    if marks == [[], []] { return nil }
    if marks.map(\.count) == [1, 1], marks[0][0] < marks[1][0] { return marks[0][0]...marks[1][0] }
    throw ForeignProgram.configurationError(
      "\(path.printable()) must have one BEGIN line and one END line for \(address)"
    )
    .with(hint: options.mode.remove ? "correct them" : "correct them, or add what --print prints")
  }

  /// The address of the last block.
  private static func lastMailbox(in lines: Lines) -> String? {
    let line = lines.last { $0.starts(with: beginning.utf8) }
    return line.map { String(decoding: $0.trimming("\r").dropFirst(beginning.utf8.count), as: UTF8.self) }
  }

  /// msmtp rejects a file that defines an account twice.
  private func checkAccount(in lines: Lines, of path: String) throws(AuthenticationError) {
    let account = ["account", address].map { Array($0.utf8)[...] }
    let definitions = lines.count { $0.split { " \t\":\r".utf8.contains($0) }.prefix(2).elementsEqual(account) }
    guard definitions > 1 else { return }
    throw ForeignProgram.configurationError("\(path.printable()) has another account \(address)").with(
      hint: "rename or remove it"
    )
  }

  /// The first file that the program finds, as listed in msmtp(1), mutt(1) and neomutt(1), else the usual one.
  private var path: String {
    get throws {
      let (home, config) = (try ForeignProgram.home, try ForeignProgram.configurationDirectory)
      let (paths, usual) =
        switch client {
        case .msmtp: (["\(home)/.msmtprc"], "\(config)/msmtp/config")
        case .mutt: (["\(home)/.muttrc", "\(home)/.mutt/muttrc", "\(config)/mutt/muttrc"], "\(home)/.muttrc")
        case .neomutt:
          (
            ["\(config)/neomutt/", "\(config)/mutt/", "\(home)/.neomutt/", "\(home)/.mutt/", "\(home)/."]
              .flatMap { [$0 + "neomuttrc", $0 + "muttrc"] }, "\(home)/.neomuttrc"
          )
        }
      return paths.first { access($0, F_OK) == 0 } ?? usual
    }
  }

  /// Whether the address needs no quotes in either file; in msmtp, `%U`, `*` and `?` have meanings.
  private static func isUsable(_ address: String) -> Bool {
    let parts = address.split(at: "@")
    return parts.count == 2 && parts.allSatisfy { !$0.isEmpty }
      && parts[0].utf8.allSatisfy { $0.isASCIIAlphanumeric || "!#&'+-./=^_{|}~".utf8.contains($0) }
      && parts[1].utf8.allSatisfy { $0.isASCIIAlphanumeric || "-.".utf8.contains($0) }
  }
}
