import TestSupport
import Testing

@testable import MSAuthCache

@Suite("a keyring that fails during a call", .serialized, .needsCounterparts)
struct VanishingTests {
  private static let attributes = #"{"xdg:schema": "io.github.msauth.token_cache", "application": "msauth"}"#
  private static let dbus = "org.freedesktop.DBus.Error."
  private static let item = #""items": [{"attributes": \#(attributes), "secret": "{}"}]"#

  @Test(
    "the service ends during any call",
    arguments: ["OpenSession", "SearchItems", "ReadAlias", "GetSecrets", "CreateItem", "Unlock", "Prompt"]
  )
  func dying(in call: String) async throws {
    let isLocked = ["Unlock", "Prompt"].contains(call)
    let script = #"{"locked": \#(isLocked), "on": {"\#(call)": "die"}, \#(Self.item)}"#
    // After a wait, the error would be that the keyring is locked.
    let lines = ["store_keyring_absent …"]
    try await KeyringFixture().session(KeyringFixture.scripted(script), "run save prompt", prints: lines)
  }

  @Test(
    "the service returns an error",
    arguments: [
      (
        "store_keyring_absent",
        ["NoReply", "ServiceUnknown", "NameHasNoOwner", "Disconnected", "Spawn.ChildExited"].map { dbus + $0 }
      ),
      ("store_keyring_mute", ["Timeout", "TimedOut"].map { dbus + $0 }),
      ("store_keyring_locked", ["org.freedesktop.Secret.Error.IsLocked"]),
      (
        "store_keyring_failed",
        ["org.freedesktop.Secret.Error.NoSession", "org.freedesktop.Secret.Error.NoSuchObject"]
          + [dbus + "AccessDenied", dbus + "LimitsExceeded", "org.kde.kwalletd.Error"]
      ),
    ]
  )
  func errors(_ code: String, _ names: [String]) async throws {
    for name in names {
      let call = name.hasPrefix("org.freedesktop.Secret.") ? "GetSecrets" : "SearchItems"
      let script = #"{"on": {"\#(call)": "\#(name)"}, \#(Self.item)}"#
      try await KeyringFixture().session(KeyringFixture.scripted(script), "run load", prints: [code + " …"])
    }
  }

  @Test("a service that stores an empty secret without an error: the previous cache is restored")
  func emptied() async throws {
    try await KeyringFixture().session(
      KeyringFixture.scripted(#"{"limit": 2000, \#(Self.item)}"#),
      "run save; run longer; run load",
      prints: ["ok", "store_keyring_failed …", KeyringFixture.loaded]
    )
  }

  /// Saves twice, performs an action when the keyring stops before the second write is verified, and loads.
  private func stopped(_ action: String) -> String {
    """
    run save; service=$(service_pid)
    "$DRIVER" keyring longer "$STATE" quiet own >"$STATE.output" & driver=$!
    until grep -q "^State:.T" /proc/$service/status; do sleep 0.05; done
    \(action)
    wait $driver
    cat "$STATE.output"; run load | cut -c 1-90
    """
  }

  private static let longer = #""account":"ada@contoso.com","xxxx"#

  @Test(
    "a service that stops responding during a write: the new cache is loaded, or the previous one if the item is empty",
    arguments: [("", "ok", longer), (#""limit": 2000, "#, "store_keyring_", KeyringFixture.loaded)]
  )
  func silent(_ limit: String, _ result: String, _ found: String) async throws {
    let lines = try await KeyringFixture().session(
      KeyringFixture.scripted("{\"stop\": 2, \(limit)\(Self.item)}"),
      stopped("sleep 11; kill -CONT $service")
    )
    try #require(lines.count == 3, "\(lines)")
    #expect(lines[0] == "ok" && lines[1].hasPrefix(result) && lines[2].contains(found), "\(lines)")
  }

  @Test(
    "a process killed during the write leaves the old or the new cache, or one recognized as damaged",
    arguments: [("", longer), (#""limit": 2000, "#, "store_damaged")]
  )
  func killedWhileSilent(_ limit: String, _ found: String) async throws {
    let lines = try await KeyringFixture().session(
      KeyringFixture.scripted("{\"stop\": 2, \(limit)\(Self.item)}"),
      stopped("kill -KILL $driver; kill -CONT $service")
    )
    #expect(lines.last?.contains(found) == true, "\(lines)")
  }

  @Test("an empty item is damaged, not an empty cache, and a sign-in sets it aside")
  func emptyItem() async throws {
    try await KeyringFixture().session(
      KeyringFixture.scripted(#"{"items": [{"attributes": \#(Self.attributes), "secret": ""}]}"#),
      "run load; run save; run aside; run load",
      prints: ["store_damaged …", "store_damaged …", "ok the keyring's item…", "ok {}"]
    )
  }

  @Test("a service that the bus starts slowly is waited for")
  func slowStart() async throws {
    let keyring = try KeyringFixture()
    let services = keyring.home.path("run/dbus-1/services")
    let start = KeyringFixture.scripted("{\(Self.item)}").dropLast(2).replacing("$TESTS", with: KeyringFixture.tests)
    try keyring.home.write("#!/bin/sh\nsleep 2; exec \(start)", to: "run/dbus-1/services/start", mode: 0o700)
    let service = "[D-BUS Service]\nName=org.freedesktop.secrets\nExec=\(services)/start\n"
    try keyring.home.write(service, to: "run/dbus-1/services/org.freedesktop.secrets.service")
    try await keyring.session("", "run load prompt", prints: ["ok {}"])
  }
}
