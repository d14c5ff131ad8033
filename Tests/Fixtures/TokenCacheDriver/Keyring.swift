import Glibc
import MSAuthCache
import MSAuthCore

@testable import MSAuth

/// Performs an action with the session's keyring; prints `ok …` or the error's code.
enum Keyring {
  static func run(_ command: String, folder: String, mayPrompt: Bool, item: String) async {
    var keyringItem = KeyringItem()
    switch item {
    case "own": break
    // The item shared with Microsoft's tools.
    case "shared": keyringItem = .microsoftTools(home: folder)
    case let schema:
      keyringItem.schema = schema
      keyringItem.attributes = [:]
    }
    let store = SecretServiceStore(item: keyringItem, signalPath: folder + "/token_cache.keyring", mayPrompt: mayPrompt)
    do throws(AuthenticationError) {
      switch command {
      case "probe":
        try await store.probe(holding: store.lock(within: .seconds(60)))
        print("ok")
      case "load":
        print("ok", String(decoding: try await store.load().serialized(), as: UTF8.self).filter { !$0.isWhitespace })
      case "cancel":
        // The task is canceled while the keyring waits for the user.
        let task = Task { try await store.load() }
        try? await Task.sleep(for: .seconds(2))
        let start = ContinuousClock.now
        task.cancel()
        let result = await task.result
        // Without cancellation, the prompt would last half a minute.
        guard start.duration(to: .now) < .seconds(20) else { exit(1) }
        if case .failure(let error as AuthenticationError) = result { throw error }
        print("ok")
      case "save":
        try await save(store, "account")
        print("ok")
      case "longer":
        try await save(store, String(repeating: "x", count: 4000))
        print("ok")
      case "large":
        try await save(store, String(repeating: "x", count: 500_000))
        print(
          "ok",
          try await store.load().isSignedOut(
            AccountKey(clientID: "c", homeAccountID: String(repeating: "x", count: 500_000))
          )
        )
      case "aside":
        let lock = try await store.lock(within: .seconds(120))
        print("ok", try await store.setAside(holding: lock) ?? "nothing")
      case "select":
        let file = FileStore(path: folder + "/token_cache.json")
        let choice = StoreChoice(keyring: store, file: file)
        let name = try await choice.writable() is SecretServiceStore ? "keyring" : "file"
        print("ok", name, choice.warning ?? choice.notice ?? "")
      default: exit(64)
      }
    } catch {
      print(error.reason ?? "", error.message)
    }
  }

  private static func save(_ store: SecretServiceStore, _ name: String) async throws(AuthenticationError) {
    let lock = try await store.lock(within: .seconds(120))
    var document = try await store.load()
    document.markSignedOut(AccountKey(clientID: "c", homeAccountID: name), username: "ada@contoso.com")
    try await store.save(document, holding: lock)
    await lock.release()
  }
}
