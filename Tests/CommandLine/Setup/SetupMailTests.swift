import TestSupport
import Testing

@Suite("msauth setup mail", .limitedConcurrency)
struct SetupMailTests {
  private static let address = ada
  private static let exchange =
    "--scope https://outlook.office.com/IMAP.AccessAsUser.All --scope https://outlook.office.com/SMTP.Send "

  private let runner: CommandRunner
  private var home: Home { runner.home }

  init() throws { runner = try CommandRunner() }

  private func setUp(_ arguments: [String]) async throws -> CommandRunner.Outcome {
    try await runner.run(["setup", "mail"] + arguments)
  }

  private static func msmtp(_ host: String, port: Int, startTLS: String, auth: String) -> String {
    """
    account ada@contoso.example
    host \(host)
    port \(port)
    tls on
    tls_starttls \(startTLS)
    auth \(auth)
    user ada@contoso.example
    from ada@contoso.example
    passwordeval "COMMAND"
    """
  }

  private static func mutt(_ imap: String, _ smtp: String) -> String {
    """
    set from='ada@contoso.example'
    set folder='\(imap)/'
    set spoolfile='+INBOX'
    set imap_user='ada@contoso.example'
    set imap_authenticators='xoauth2:oauthbearer'
    set imap_oauth_refresh_command='COMMAND'
    set smtp_url='\(smtp)/'
    set smtp_authenticators='xoauth2:oauthbearer'
    set smtp_oauth_refresh_command='COMMAND'
    set ssl_starttls='yes'
    set ssl_force_tls='yes'
    """
  }

  @Test(
    "the block has the servers, how to sign in there, and a command that gets the token",
    arguments: [
      (["msmtp"], exchange, "", msmtp("smtp.office365.com", port: 587, startTLS: "on", auth: "xoauth2")),
      (
        ["msmtp", "--authority", "https://id.example", "--smtp", "mail.example:465"], "",
        "--authority https://id.example ",
        msmtp("mail.example", port: 465, startTLS: "off", auth: "oauthbearer")
      ),
      (
        ["msmtp", "--authority", "https://login.partner.microsoftonline.cn/common"],
        "--scope https://partner.outlook.cn/IMAP.AccessAsUser.All --scope https://partner.outlook.cn/SMTP.Send ",
        "--authority https://login.partner.microsoftonline.cn/common ",
        msmtp("smtp.partner.outlook.cn", port: 587, startTLS: "on", auth: "xoauth2")
      ),
      (
        ["mutt", "--scope", "S"], "--scope S ", "",
        mutt("imaps://outlook.office365.com:993", "smtp://ada%40contoso%2Eexample@smtp.office365.com:587")
      ),
      (
        ["mutt", "--authority", "https://id.example", "--imap", "a.example:143", "--smtp", "b.example:465"], "",
        "--authority https://id.example ",
        mutt("imap://a.example:143", "smtps://ada%40contoso%2Eexample@b.example:465")
      ),
    ] as [([String], String, String, String)]
  )
  func block(client: [String], scopes: String, provider: String, expected: String) async throws {
    let arguments = [Self.address, "--client"] + client + ["--client-id", "c", "--store", "file"]
    let printed = try await setUp(arguments + ["--print"])
    let command = "msauth token \(scopes)--account \(Self.address) \(provider)--client-id c --store file"
    let lines = expected.replacing("COMMAND", with: command)
    let block = "# BEGIN msauth \(Self.address)\n\(lines)\n# END msauth \(Self.address)\n"
    #expect(printed.code == 0 && printed.stdout == block, "\(printed)")
    #expect(home.files(below: "home").isEmpty)

    let path = client[0] == "msmtp" ? "config/msmtp/config" : "home/.muttrc"
    let added = try await setUp(arguments)
    #expect(try added.stdout == block && home.read(path) == block && home.mode(path) == 0o600, "\(added)")
    let removed = try await setUp([Self.address, "--client", client[0], "--remove"])
    #expect(removed.code == 0 && home.files(below: "home") + home.files(below: "config") == [], "\(removed)")
    let login = added.stderr.split(separator: "\n").last ?? ""
    let other = "--login-hint \(Self.address); for another mailbox, set it up again with --account"
    #expect(login.contains("sign in: msauth login ") && login.hasSuffix(other), "\(added)")
    #expect(scopes.isEmpty || login.contains(scopes), "\(added)")
  }

  @Test("variables are stored like options, but MSAUTH_ACCOUNT isn't the mailbox's account")
  func variables() async throws {
    var runner = runner
    runner.environment = [
      "MSAUTH_CLIENT_ID": "c", "MSAUTH_AUTHORITY": "https://login.microsoftonline.com/common",
      "MSAUTH_CACHE_FILE": "cache.json", "MSAUTH_STORE": "secret-service", "MSAUTH_ACCOUNT": "bob@contoso.example",
    ]
    let tenant = "11111111-2222-3333-4444-555555555555"
    let arguments = ["setup", "mail", Self.address, "--client", "msmtp", "--print", "--tenant", tenant]
    let printed = try await runner.run(arguments + ["--cache-file", "other.json"])
    let words = [
      "--account", Self.address, "--authority", "https://login.microsoftonline.com/\(tenant)", "--cache-file",
      runner.home.path("home/other.json"), "--client-id", "c", "--store", "file",
    ]
    #expect(printed.stdout.contains(" \(words.joined(separator: " "))\"\n"), "\(printed)")
  }

  @Test(
    "the block is added to the file that the program reads, replaced and removed; nothing else changes",
    arguments: [
      ("msmtp", "home/.msmtprc"), ("msmtp", "config/msmtp/config"), ("neomutt", "config/neomutt/neomuttrc"),
      ("mutt", "config/mutt/muttrc"), ("mutt", "home/.mutt/muttrc"), ("mutt", "home/.muttrc"),
      ("neomutt", "home/.muttrc"), ("neomutt", "home/.neomuttrc"),
    ]
  )
  func file(client: String, path: String) async throws {
    let old = "# BEGIN msauth other@contoso.example\n# Gr\u{fc}\u{df}e\r\n\n# END msauth other@contoso.example\n"
    try home.write(old, to: path, mode: 0o640)
    let first = [Self.address, "--client", client, "--client-id", "c", "--store", "file"]
    let added = try await setUp(first)
    #expect(added.stderr.contains("kept the previous file as \(home.path(path)).bak"), "\(added)")
    let isReplaced = added.stderr.contains("\(Self.address) replaces other@contoso.example as \(client)'s mailbox\n")
    #expect(isReplaced == (client != "msmtp"), "\(added)")
    let text = home.read(path) ?? ""
    #expect(try text.hasPrefix(old + "# BEGIN") && home.mode(path) == 0o640 && home.read(path + ".bak") == old)
    let again = try await setUp(first)
    #expect(again.stderr.contains("nothing was written") && home.read(path) == text, "\(again)")
    let dos = text.replacing("\r", with: "").replacing("\n", with: "\r\n")
    try home.write(dos, to: path, mode: 0o640)
    let unchanged = try await setUp(first)
    #expect(unchanged.stderr.contains("nothing was written") && home.read(path) == dos, "\(unchanged)")
    try home.write(text + "# mine", to: path, mode: 0o640)
    // The scopes of Exchange aren't for another server.
    let moved = first + ["--smtp", "new.example"]
    try await setUp(moved).expect(64)
    try await setUp(moved + Self.exchange.split(separator: " ").map(String.init)).expect(0)
    let changed = text.replacing("smtp.office365.com", with: "new.example")
    #expect(home.read(path) == changed + "# mine")
    try await setUp([Self.address, "--client", client, "--remove"]).expect(0)
    #expect(try home.read(path) == old + "# mine" && home.mode(path) == 0o640)
    try await setUp([Self.address, "--client", client, "--remove"]).expect(0, "nothing was written")
    // A last line without its end isn't continued.
    try await setUp(first).expect(0)
    #expect(home.read(path)?.hasPrefix(old + "# mine\n# BEGIN") == true)
  }

  @Test(
    "a file that has another account of that name, or a damaged block, is left as it is",
    arguments: [
      "account ada@contoso.example\nhost x\n", "\taccount\t \"ada@contoso.example\"\n",
      "account ada@contoso.example : x",
      "# BEGIN msauth ada@contoso.example\nhost x\n", "# END msauth ada@contoso.example\n",
      "# END msauth ada@contoso.example\n# BEGIN msauth ada@contoso.example\n",
      "# BEGIN msauth ada@contoso.example\n# BEGIN msauth ada@contoso.example\n# END msauth ada@contoso.example\n",
    ]
  )
  func damaged(text: String) async throws {
    try home.write(text, to: "home/.msmtprc")
    try await setUp([Self.address, "--client", "msmtp", "--client-id", "c", "--store", "file"])
      .expect(78, "hint: ")
    #expect(home.read("home/.msmtprc") == text && home.files(below: "home") == [".msmtprc"])
  }

  @Test("an address, a server or an option that a file can't have is rejected, and nothing is written")
  func hostile() async throws {
    func reject(_ arguments: [String], _ code: Int32 = 64) async throws {
      for client in ["msmtp", "mutt", "neomutt"] {
        try await setUp(arguments + ["--client", client, "--client-id", "c", "--store", "file"])
          .expect(code, stdout: "")
      }
    }
    let addresses = [
      "", "ada", "@x.example", "ada@", "a@b@c.example", "a b@x.example", "a\nb@x.example", "a\rb@x.example",
      "a@x.example\nset shell=/bin/x", "\"a\"@x.example", "a$HOME@x.example", "`id`@x.example", "a\\@x.example",
      "a%U@x.example", "*@x.example", "a?@x.example", "a,b@x.example", "a:b@x.example", "a;b@x.example",
      "a@x.example # b", "a@x.example/", "a\u{1b}@x.example", "\u{e4}@x.example", "a@x\u{2028}.example",
    ]
    for address in addresses { try await reject([address]) }
    for server in ["a b", "a\nb", "a;b", "a'b", "a/b", "", "a:", "a:0", "a:65536", "a:1:2"] {
      try await reject([Self.address, "--smtp", server])
    }
    for option in ["--account", "--scope"] { try await reject([Self.address, option, "a\nset x=y"]) }
    try await reject([Self.address, "--remove", "--print"])
    try await reject([Self.address, "--remove", "--smtp", "x.example"])
    try await reject([Self.address, "--authority", "https://id.example"])
    try await setUp([Self.address, "--client", "msmtp", "--imap", "x.example"]).expect(64)
    let long = ["--client", "msmtp", "--client-id", "c", "--account", String(repeating: "a", count: 500)]
    try await setUp([Self.address] + long).expect(78, "pass --profile")
    #expect(home.files(below: "home").isEmpty && home.files(below: "config").isEmpty)
  }

  @Test(
    "the mail program sends with the token, and msauth gets its options unchanged",
    arguments: [
      ("msmtp", #"printf 'Subject: hello\n\nworld\n' | msmtp -a ADDRESS bob@example.org"#, "OAUTHBEARER"),
      ("mutt", "echo world | mutt -s hello bob@example.org", "XOAUTH2"),
      ("neomutt", "echo world | neomutt -s hello bob@example.org", "XOAUTH2"),
    ]
  )
  func send(client: String, command: String, mechanism: String) async throws {
    var fixture = try await ProviderMockFixture.signedIn()
    let (home, address) = (fixture.home, "anna.mail@example.org")
    let msauth = #"printf '%s\0' "$@" > '\#(home.path("words"))'; exec '\#(try BuiltProducts.msauth)' "$@""#
    try home.script(msauth, to: "bin/msauth")
    fixture.runner.environment["PATH"] = "\(home.path("bin")):/usr/bin:/bin"
    let certificate = try await TLSProxy.certificate(in: home, "mail", ["-addext", "subjectAltName=DNS:localhost"])
    let port = try freePort()
    let server = try BackgroundProgram([
      "/usr/bin/python3", BuiltProducts.fixture("smtp-server.py"), "\(port)", "\(fixture.provider.authority)/userinfo",
      certificate.certificate, certificate.key,
    ])
    _ = try await server.ready("the mail server") { try? TCPConnection(port: port).receive() }
    let (file, old) =
      client == "msmtp"
      ? ("home/.msmtprc", "defaults\ntls_trust_file \(certificate.certificate)\n")
      : ("home/.muttrc", "set certificate_file = \(certificate.certificate)\nset record = ''\n")
    try home.write(old, to: file)
    let configuration = try home.write("{}", to: #"home/it's "a"; \ $(touch FLAG)`touch FLAG`#.json"#)
    let servers = ["--smtp", "localhost:\(port)"] + (client == "msmtp" ? [] : ["--imap", "localhost"])
    let setUp = ["setup", "mail", address, "--client", client, "--config", configuration] + fixture.identity
    try await fixture.runner.run(setUp + servers).expect(0, "\(client) can get a token for \(address)")

    let send = command.replacing("ADDRESS", with: address)
    try await fixture.runner.run(program: ["/bin/sh", "-c", send]).expect(0)
    try await eventually("the message at the server") { server.stdout == "\(mechanism) \(address) hello\n" }
    let words = home.read("words")?.split(separator: "\0").map(String.init) ?? []
    #expect(words.contains(configuration) && words.prefix(2) == ["token", "--account"], "\(words)")
    #expect(home.files(below: ".").filter { $0.hasSuffix("FLAG") }.isEmpty)
    let removed = try await fixture.runner.run(["setup", "mail", address, "--client", client, "--remove"])
    #expect(removed.code == 0 && home.read(file) == old, "\(removed)")
  }
}
