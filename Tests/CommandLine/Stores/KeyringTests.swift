import TestSupport
import Testing

@Suite("tokens in GNOME Keyring", .limitedConcurrencyFirst)
struct KeyringTests {
  @Test(
    "an available keyring is used by default, and no token is written to a file",
    arguments: ["auto", "secret-service"]
  )
  func inTheKeyring(store: String) async throws {
    let (fixture, keyring) = try await session(store: store)
    #expect(try await keyring.itemCount() == 0)
    #expect(try await fixture.signIn().stdout == ProviderMock.username + "\n")
    #expect(try await keyring.itemCount() > 0)
    #expect(fixture.provider.secrets.count >= 4)
    for file in fixture.home.files(below: ".") {
      let text = fixture.home.read(file) ?? ""
      for secret in fixture.provider.secrets { #expect(!text.contains(secret), "in \(file)") }
    }

    let token = try await fixture.run("token").expect(0, stderr: "")
    #expect(try await fixture.provider.userinfo(token.stdout.filter { $0 != "\n" }).status == 200)
    try await fixture.run("logout").expect(0)
    try await fixture.run("token").expect(2)
  }

  @Test("reading never writes to an unused keyring or a file; the first sign-in selects the keyring")
  func readingOnly() async throws {
    let (fixture, keyring) = try await session(store: nil)
    let calls = try await keyring.watchingCalls()
    for (command, output) in [("status", "Signed out"), ("accounts", ""), ("token", ""), ("logout", "")] {
      let outcome = try await fixture.run(command)
      #expect(outcome.stdout.split(separator: "\n").joined() == output && outcome.code != 6, "\(command) \(outcome)")
    }
    try await eventually("a call to the keyring") { calls.stdout.contains(/member=(ReadAlias|SearchItems)/) }
    #expect(!calls.stdout.contains(/member=(CreateItem|Delete)/), "\(calls.stdout)")
    #expect(try await keyring.itemCount() == 0)
    #expect(fixture.home.files(below: "state").isEmpty)

    try await fixture.signIn()
    #expect(try await keyring.itemCount() == 1)
    #expect(fixture.home.files(below: "state/msauth") == ["token_cache.keyring"])
  }

  @Test("GLib's debug messages don't mix with the token")
  func debuggingMessages() async throws {
    let (session, keyring) = try await signedIn()
    var fixture = session
    let token = try await fixture.run("token").expect(0)
    fixture.runner.environment = keyring.environment.merging(["G_MESSAGES_DEBUG": "all"]) { $1 }
    try await fixture.run("token").expect(0, "DEBUG", stdout: token.stdout)
  }

  @Test("a dismissed prompt of a locked keyring exits 6 at once; an answered one unlocks it")
  func prompt() async throws {
    let (fixture, keyring) = try await signedIn(["DISPLAY": ":none"])

    try await keyring.lock()
    var prompter = try await keyring.answeringPrompts(with: "dismiss")
    for command in [["token"], ["login", "--no-browser"], ["logout"], ["accounts"]] {
      let before = prompter.stdout.count(where: \.isNewline)
      try await fixture.run(command).expect(6, "its prompt was dismissed", "hint: ", stdout: "")
      // The line may be logged shortly after the command ends.
      try await eventually("the prompt") { prompter.stdout.count(where: \.isNewline) > before }
      #expect(prompter.stdout.count(where: \.isNewline) == before + 1, "\(command) prompts once: \(prompter.stdout)")
    }
    let prompts = prompter.stdout
    try await fixture.run("accounts", "--complete", "bash").expect(6, "locked", stdout: "")
    #expect(prompter.stdout == prompts, "completion must not prompt")
    let outcome = try await fixture.run("token", "--json")
    #expect(outcome.code == 6 && (outcome.stdout + outcome.stderr).contains("store_keyring_dismissed"), "\(outcome)")

    try await prompter.stop()
    prompter = try await keyring.answeringPrompts(with: Keyring.password)
    let token = try await fixture.run("token").expect(0, stderr: "")
    #expect(try await fixture.provider.userinfo(token.stdout.filter { $0 != "\n" }).status == 200)
  }

  @Test("a timer, and processes that wait for a change of the store, don't prompt for a locked keyring")
  func background() async throws {
    let (fixture, keyring) = try await signedIn(["DISPLAY": ":none"])
    let command = try fixture.start(["exec", "--", "/bin/sh", "-c", "echo started; exec sleep 1000"])
    let server = try fixture.start(["serve"])
    _ = try await eventually("the command") { command.stdout.contains("started") ? true : nil }
    _ = try await eventually("the endpoint") { server.stdout.contains("IDENTITY_ENDPOINT") ? true : nil }
    try await keyring.lock()
    let prompter = try await keyring.answeringPrompts(with: "dismiss")
    let calls = try await keyring.watchingCalls()
    try await fixture.run("token", "--notify", "--min-validity", "3500").expect(6, "the keyring is locked")
    // Both look at it again after a change, and until they can read it.
    let looks = try await keyring.watchingCalls()
    #expect(utimes(fixture.home.path("state/msauth/token_cache.keyring"), nil) == 0)
    try await eventually("two looks by each process") {
      let senders = looks.stdout.matches(of: /sender=(\S+) .*member=ReadAlias/).map(\.1)
      return Set(senders.filter { sender in senders.count { $0 == sender } > 1 }).count > 1
    }
    #expect(!calls.stdout.contains(/member=(GetSecrets?|Prompt|Unlock)/), "\(calls.stdout)")
    #expect(prompter.stdout.count(where: \.isNewline) == 1, "\(prompter.stdout)")
    for child in [command, server] {
      child.signal(SIGTERM)
      _ = try await fixture.runner.outcome(of: child)
    }
  }

  @Test("Ctrl-C at the keyring's prompt ends the command at once")
  func interrupted() async throws {
    let (fixture, keyring) = try await signedIn(["DISPLAY": ":none"])
    try await keyring.lock()
    let prompter = try await keyring.answeringPrompts(with: "ignore")
    let child = try fixture.start(["token"])
    try await eventually("the prompt") { prompter.stdout.contains("required") }
    child.signal(SIGINT)
    // PromptTests proves that the prompt isn't waited for.
    try await fixture.runner.outcome(of: child).expect(130, stdout: "")
  }

  @Test("auto: a silent or locked keyring in use exits 6 and never falls back; a missing one is a warning each time")
  func neverAnotherStore() async throws {
    let (fixture, keyring) = try await session(store: "auto")
    try await fixture.signIn()
    #expect(fixture.home.read(Home.cacheFile) == nil)

    // A session without a keyring has separate accounts.
    var other = fixture
    other.runner.environment = [:]
    let warning = "its accounts aren't available"
    #expect(try await other.signIn().stderr.contains(warning))
    #expect(fixture.home.read(Home.cacheFile) != nil)
    for command in ["token", "accounts"] {
      try await other.run(command).expect(0, warning)
    }

    for signal in [SIGSTOP, SIGCONT] {
      keyring.signal(signal)
      if signal == SIGCONT { try await keyring.lock() }
      // Concurrently, since each command waits for the silent keyring.
      for child in try ["token", "accounts", "logout"].map({ try fixture.start([$0]) }) {
        try await fixture.runner.outcome(of: child).expect(6, "keyring", "hint: ", stdout: "")
      }
    }
  }

  @Test("logout --all signs out of the keyring and the file, whichever the session uses")
  func allStores() async throws {
    let (fixture, keyring) = try await session(store: nil)
    defer { withExtendedLifetime(keyring) {} }
    var other = fixture
    other.runner.environment = [:]
    // In the keyring, and in a session without one.
    for session in [fixture, other] { try await session.signIn() }
    let stores = ["secret-service", "file"]
    for store in stores {
      #expect(try await fixture.run("accounts", "--store", store).stdout == ProviderMock.username + "\n")
    }
    // An explicit store limits the sign-out to it.
    try await fixture.run("logout", "--all", "--store", "file").expect(0)
    #expect(try await fixture.run("accounts", "--store", "secret-service").stdout == ProviderMock.username + "\n")

    try await other.signIn()
    // Without the keyring its accounts stay, which is an error.
    try await other.run("logout", "--all").expect(6, "keyring")
    #expect(try await fixture.run("accounts", "--store", "file").stdout.isEmpty)
    #expect(try await fixture.run("accounts", "--store", "secret-service").stdout == ProviderMock.username + "\n")

    try await fixture.run("logout", "--all").expect(0)
    for store in stores { #expect(try await fixture.run("accounts", "--store", store).stdout.isEmpty) }
  }

  private typealias Session = (fixture: ProviderMockFixture, keyring: Keyring)

  /// A home with an empty keyring; its prompts need a display.
  private func session(store: String?, _ environment: [String: String] = [:]) async throws -> Session {
    var fixture = try await ProviderMockFixture()
    let keyring = try await Keyring(for: fixture.home)
    fixture.runner.environment = keyring.environment.merging(environment) { $1 }
    fixture.store = store
    return (fixture, keyring)
  }

  /// A session with a signed-in user.
  private func signedIn(_ environment: [String: String] = [:]) async throws -> Session {
    let session = try await session(store: "secret-service", environment)
    try await session.fixture.complete(session.fixture.startLogin("--no-browser")).expect(0)
    return session
  }
}
