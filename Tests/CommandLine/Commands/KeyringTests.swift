import TestSupport
import Testing

@Suite("tokens in GNOME Keyring", .limitedConcurrencyFirst)
struct KeyringTests {
  @Test(
    "an available keyring is used by default, and no token is written to a file",
    arguments: ["auto", "secret-service"]
  )
  func inTheKeyring(store: String) async throws {
    let (fixture, keyring, runner, identity) = try await session(store: store)
    let scopes = ["openid", "profile", "email"].flatMap { ["--scope", $0] }
    #expect(try await keyring.itemCount() == 0)

    let login = try await PendingLogin(runner.start(["login"] + identity + scopes))
    let outcome = try await fixture.complete(login)
    #expect(outcome.code == 0 && outcome.stdout == ProviderMock.username + "\n", "\(outcome)")
    #expect(try await keyring.itemCount() > 0)
    #expect(fixture.provider.secrets.count >= 4)
    for file in fixture.home.files(below: ".") {
      let text = fixture.home.read(file) ?? ""
      for secret in fixture.provider.secrets { #expect(!text.contains(secret), "in \(file)") }
    }

    let token = try await runner.run(["token"] + identity)
    #expect(token.code == 0 && token.stderr.isEmpty, "\(token)")
    #expect(try await fixture.provider.userinfo(token.stdout.filter { $0 != "\n" }).status == 200)
    let logout = try await runner.run(["logout"] + identity)
    #expect(logout.code == 0, "\(logout)")
    #expect(try await runner.run(["token"] + identity).code == 2)
  }

  @Test("reading never writes to an unused keyring or a file; the first sign-in selects the keyring")
  func readingOnly() async throws {
    let (fixture, keyring, runner, identity) = try await session(store: nil)
    let calls = try await keyring.watchingCalls()
    for (command, answer) in [("status", "Signed out"), ("accounts", ""), ("token", ""), ("logout", "")] {
      let outcome = try await runner.run([command] + identity)
      #expect(outcome.stdout.split(separator: "\n").joined() == answer && outcome.code != 6, "\(command) \(outcome)")
    }
    let asked = try await eventually("the keyring was asked") {
      calls.stdout.contains("member=ReadAlias") || calls.stdout.contains("member=SearchItems") ? calls.stdout : nil
    }
    #expect(!asked.contains("member=CreateItem") && !asked.contains("member=Delete"), "\(asked)")
    #expect(try await keyring.itemCount() == 0)
    #expect(fixture.home.files(below: "state").isEmpty)

    let login = try await PendingLogin(runner.start(["login", "--scope", "openid"] + identity))
    #expect(try await fixture.complete(login).code == 0)
    #expect(try await keyring.itemCount() == 1)
    #expect(fixture.home.files(below: "state/msauth") == ["token_cache.keyring"])
  }

  @Test("an unresponsive session bus times out: exit 6, or the file store with a warning")
  func muteBus() async throws {
    let listener = try LocalListener()
    let bus = ["DBUS_SESSION_BUS_ADDRESS": "tcp:host=127.0.0.1,port=\(listener.port)"]
    let runner = CommandRunner(home: try Home(), environment: bus)
    let identity = ["--client-id", "c", "--authority", "https://id.example"]
    let only = try await runner.run(["accounts", "--store", "secret-service"] + identity)
    #expect(only.code == 6 && only.stdout.isEmpty && only.stderr.contains("hint:"), "\(only)")
    let automatic = try await runner.run(["accounts"] + identity)
    #expect(automatic.code == 0 && automatic.stdout.isEmpty, "\(automatic)")
  }

  @Test("GLib's debug messages don't mix with the token")
  func debuggingMessages() async throws {
    let (_, keyring, runner, identity) = try await signedIn()
    let token = try await runner.run(["token"] + identity)
    #expect(token.code == 0, "\(token)")
    let noisy = CommandRunner(
      home: runner.home,
      environment: keyring.environment.merging(["G_MESSAGES_DEBUG": "all"]) { $1 }
    )
    let outcome = try await noisy.run(["token"] + identity)
    #expect(outcome.code == 0 && outcome.stdout == token.stdout, "\(outcome)")
    #expect(outcome.stderr.contains("DEBUG"), "the messages are missing: \(outcome)")
  }

  @Test("a dismissed prompt of a locked keyring exits 6 at once; an answered one unlocks it")
  func prompt() async throws {
    let (fixture, keyring, runner, identity) = try await signedIn(["DISPLAY": ":none"])

    try await keyring.lock()
    var prompter = try await keyring.answeringPrompts(with: "dismiss")
    for command in [["token"], ["login", "--no-browser"], ["logout"], ["accounts"]] {
      let before = prompter.stdout.count(where: \.isNewline)
      let outcome = try await runner.run(command + identity, by: .after(20))
      #expect(outcome.code == 6 && outcome.stdout.isEmpty, "\(command) \(outcome)")
      #expect(outcome.stderr.contains("its prompt was dismissed") && outcome.stderr.contains("hint: "), "\(outcome)")
      // The line may be logged shortly after the command ends.
      let asked = try await eventually("the prompt") {
        let count = prompter.stdout.count(where: \.isNewline)
        return count > before ? count : nil
      }
      #expect(asked == before + 1, "\(command) prompts once: \(prompter.stdout)")
    }
    let outcome = try await runner.run(["token", "--json"] + identity)
    #expect(outcome.code == 6 && (outcome.stdout + outcome.stderr).contains("store_keyring_dismissed"), "\(outcome)")

    try await prompter.stop()
    prompter = try await keyring.answeringPrompts(with: Keyring.password)
    let token = try await runner.run(["token"] + identity)
    #expect(token.code == 0 && token.stderr.isEmpty, "\(token)")
    #expect(try await fixture.provider.userinfo(token.stdout.filter { $0 != "\n" }).status == 200)
  }

  @Test("Ctrl-C at the keyring's prompt ends the command at once", arguments: [["token"], ["accounts"], ["logout"]])
  func interrupted(_ command: [String]) async throws {
    let (_, keyring, runner, identity) = try await signedIn(["DISPLAY": ":none"])
    try await keyring.lock()
    let prompter = try await keyring.answeringPrompts(with: "ignore")
    let child = try runner.start(command + identity)
    _ = try await eventually("the prompt") { prompter.stdout.contains("required") ? true : nil }
    child.signal(SIGINT)
    // The prompt itself stays for half a minute.
    let outcome = try await runner.outcome(of: child, by: .after(10))
    #expect(outcome.code == 130 && outcome.stdout.isEmpty, "\(outcome)")
  }

  @Test("auto: a silent or locked keyring in use exits 6 and never falls back; a missing one is a warning each time")
  func neverAnotherStore() async throws {
    let (fixture, keyring, runner, identity) = try await session(store: "auto")
    func signIn(_ runner: CommandRunner) async throws -> CommandRunner.Outcome {
      let login = try await PendingLogin(runner.start(["login", "--scope", "openid"] + identity))
      _ = try await fixture.provider.signIn(at: login.url)
      return try await runner.outcome(of: login.child)
    }
    #expect(try await signIn(runner).code == 0)
    #expect(fixture.home.read(ProviderMockFixture.cacheFile) == nil)

    // A session without a keyring has separate accounts.
    let warning = "its accounts aren't available"
    let login = try await signIn(fixture.runner)
    #expect(login.code == 0 && login.stderr.contains(warning), "\(login)")
    #expect(fixture.home.read(ProviderMockFixture.cacheFile) != nil)
    for command in [["token"], ["accounts"]] {
      let outcome = try await fixture.runner.run(command + identity)
      #expect(outcome.code == 0 && outcome.stderr.contains(warning), "\(command) \(outcome)")
    }

    for signal in [SIGSTOP, SIGCONT] {
      keyring.signal(signal)
      if signal == SIGCONT { try await keyring.lock() }
      // Concurrently, since each command waits for the silent keyring.
      let children = try ["token", "accounts", "logout"].map { ($0, try runner.start([$0] + identity)) }
      for (command, child) in children {
        let outcome = try await runner.outcome(of: child, by: .after(45))
        #expect(outcome.code == 6 && outcome.stdout.isEmpty, "\(command) \(outcome)")
        #expect(outcome.stderr.contains("keyring") && outcome.stderr.contains("hint: "), "\(command) \(outcome)")
      }
    }
  }

  @Test("logout --all signs out of the keyring and the file, whichever the session uses")
  func allStores() async throws {
    let (fixture, keyring, runner, identity) = try await session(store: nil)
    defer { withExtendedLifetime(keyring) {} }
    func run(_ words: String...) async throws -> CommandRunner.Outcome {
      try await runner.run(words.prefix(1) + identity + words.dropFirst())
    }
    // In the keyring, and in a session without one.
    for session in [runner, fixture.runner] {
      let login = try await PendingLogin(session.start(["login", "--scope", "openid"] + identity))
      _ = try await fixture.provider.signIn(at: login.url)
      #expect(try await session.outcome(of: login.child).code == 0)
    }
    let stores = ["secret-service", "file"]
    for store in stores {
      #expect(try await run("accounts", "--store", store).stdout == ProviderMock.username + "\n")
    }
    // An explicit store limits the sign-out to it.
    #expect(try await run("logout", "--all", "--store", "file").code == 0)
    #expect(try await run("accounts", "--store", "secret-service").stdout == ProviderMock.username + "\n")

    let login = try await PendingLogin(fixture.runner.start(["login", "--scope", "openid"] + identity))
    #expect(try await fixture.complete(login).code == 0)
    // Without the keyring its accounts stay, which is an error.
    let part = try await fixture.runner.run(["logout", "--all"] + identity)
    #expect(part.code == 6 && part.stderr.contains("keyring"), "\(part)")
    #expect(try await run("accounts", "--store", "file").stdout.isEmpty)
    #expect(try await run("accounts", "--store", "secret-service").stdout == ProviderMock.username + "\n")

    let outcome = try await run("logout", "--all")
    #expect(outcome.code == 0, "\(outcome)")
    for store in stores { #expect(try await run("accounts", "--store", store).stdout.isEmpty) }
  }

  private typealias Session = (
    fixture: ProviderMockFixture, keyring: Keyring, runner: CommandRunner, identity: [String]
  )

  /// A home with an empty keyring; its prompts need a display.
  private func session(
    store: String? = "secret-service",
    _ environment: [String: String] = [:]
  ) async throws -> Session {
    let fixture = try await ProviderMockFixture()
    let keyring = try await Keyring(for: fixture.home)
    let runner = CommandRunner(home: fixture.home, environment: keyring.environment.merging(environment) { $1 })
    let identity = ["--authority", fixture.provider.authority, "--client-id", "fixture"]
    return (fixture, keyring, runner, identity + (store.map { ["--store", $0] } ?? []))
  }

  /// A session with a signed-in user.
  private func signedIn(_ environment: [String: String] = [:]) async throws -> Session {
    let session = try await session(environment)
    let login = try await PendingLogin(
      session.runner.start(["login", "--no-browser", "--scope", "openid"] + session.identity)
    )
    #expect(try await session.fixture.complete(login).code == 0)
    return session
  }
}
