import Glibc
import MSAuth
import MSAuthUnix

/// A mail program's file, in which each mailbox that was set up has a block of lines.
struct MailConfiguration {
  typealias Servers = (imap: MailServer?, smtp: MailServer)

  private let program: MailProgram
  private let address: String
  private let path: String

  init(of program: MailProgram, for address: String) throws(AuthenticationError) {
    (self.program, self.address) = (program, address)
    path = try Self.path(of: program)
  }

  /// The first file that the program finds, as listed in msmtp(1), mutt(1) and neomutt(1), else the usual one.
  private static func path(of program: MailProgram) throws(AuthenticationError) -> String {
    let (home, config) = (try ForeignFile.home, try ForeignFile.configurationDirectory)
    let (paths, usual) =
      switch program {
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

  /// The mailbox's lines, with which the program gets tokens from a command.
  func block(
    _ servers: Servers,
    isExchange: Bool,
    running command: [String]
  ) throws(AuthenticationError) -> [String] {
    // Each setting is one line of the file.
    guard command.allSatisfy({ $0.isIdentical(to: $0.printable(limit: 4096)) }) else {
      throw AuthenticationError.usage("an option has characters that \(program.rawValue)'s file can't have")
    }
    // Exchange Online supports only XOAUTH2, and other servers may support only the standard (RFC 7628).
    let lines = lines(servers, isExchange ? "xoauth2" : "oauthbearer", running: command.shellCommand)
    guard program != .msmtp || lines.allSatisfy({ $0.utf8.count < 500 }) else {
      throw ForeignProgram.configurationError("msmtp accepts at most 499 bytes per line")
        .with(hint: "keep the options in a profile, and pass --profile")
    }
    return marked(lines)
  }

  /// The settings, with TLS from the start on the ports 993 and 465, else with STARTTLS.
  private func lines(_ servers: Servers, _ mechanism: String, running command: String) -> [String] {
    let port = servers.smtp.port ?? 587
    guard program != .msmtp, let imap = servers.imap else {
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

  func remove() async throws { _ = try await set([]) }

  /// Replaces or adds the address's block, or removes it if the new one is empty; returns whether the file changed.
  func set(_ block: [String]) async throws -> Bool {
    var replaced: String?
    let isRemoved = block.isEmpty
    let part = "the mailbox \(address)"
    let isChanged = try await ForeignFile(path: path).change(part: part, removing: isRemoved) { old in
      let old = old ?? []
      var lines = old.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      let ending = lines[0].last == UInt8(ascii: "\r") ? "\r" : ""
      let new = block.map { Array(($0 + ending).utf8)[...] }
      let hint: Hint = isRemoved ? "correct them" : "correct them, or add what --print prints"
      if let present = try blockIndices(in: lines, hint: hint) {
        lines.replaceSubrange(present, with: new)
      } else if !new.isEmpty {
        replaced = Self.lastMailbox(in: lines)
        if lines.last?.isEmpty == true { lines.removeLast() }
        lines += new + [[]]
      }
      if program == .msmtp, !isRemoved { try checkAccount(in: lines) }
      let changed = Array(lines.joined(separator: [UInt8(ascii: "\n")]))
      return changed == old ? nil : changed
    }
    // mutt and neomutt use the last block's settings; msmtp has accounts.
    if isChanged, program != .msmtp, let replaced {
      Console.notice("\(address) replaces \(replaced.printable(limit: 100)) as \(program.rawValue)'s mailbox")
    }
    return isChanged
  }

  /// The lines of the address's block, if there is one.
  private func blockIndices(in lines: Lines, hint: Hint) throws(AuthenticationError) -> ClosedRange<Int>? {
    // An editor may have added carriage returns.
    let marks = marked([]).map { mark in lines.indices.filter { lines[$0].trimming("\r").elementsEqual(mark.utf8) } }
    if marks == [[], []] { return nil }
    if marks.map(\.count) == [1, 1], marks[0][0] < marks[1][0] { return marks[0][0]...marks[1][0] }
    let message = "\(path.printable()) must have one BEGIN line and one END line for \(address)"
    throw ForeignProgram.configurationError(message).with(hint: hint)
  }

  /// The address of the last block.
  private static func lastMailbox(in lines: Lines) -> String? {
    let line = lines.last { $0.starts(with: beginning.utf8) }
    return line.map { String(decoding: $0.trimming("\r").dropFirst(beginning.utf8.count), as: UTF8.self) }
  }

  /// msmtp rejects a file that defines an account twice.
  private func checkAccount(in lines: Lines) throws(AuthenticationError) {
    let account = ["account", address].map { Array($0.utf8)[...] }
    let definitions = lines.count { $0.split { " \t\":\r".utf8.contains($0) }.prefix(2).elementsEqual(account) }
    guard definitions > 1 else { return }
    throw ForeignProgram.configurationError("\(path.printable()) has another account \(address)")
      .with(hint: "rename or remove it")
  }
}
