import Glibc
import MSAuthCache
import MSAuthCore

/// A process that uses the cache as its arguments say.
@main
enum Driver {
  static func main() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard let command = arguments.first else { exit(64) }
    switch (command, Array(arguments.dropFirst())) {
    case ("hold", let rest) where rest.count == 1: try await hold(rest[0])
    case ("add", let rest) where rest.count == 3: try await add(rest[0], name: rest[1], rounds: rest[2])
    case ("keyring", let rest) where rest.count == 4:
      await Keyring.run(rest[0], folder: rest[1], mayPrompt: rest[2] == "prompt", item: rest[3])
    default: exit(64)
    }
  }

  /// Takes the lock, prints a line, and holds it until killed.
  private static func hold(_ path: String) async throws {
    let lock = try await FileStore(path: path).lock(within: .seconds(120))
    print("held")
    fflush(nil)
    try await Task.sleep(for: .seconds(600))
    await lock.release()
  }

  /// Adds marks, each with a read and a write.
  private static func add(_ path: String, name: String, rounds: String) async throws {
    let store = FileStore(path: path)
    for round in 0..<(Int(rounds) ?? 0) {
      let lock = try await store.lock(within: .seconds(120))
      var document = try await store.load()
      document.markSignedOut(
        AccountKey(clientID: "driver", homeAccountID: "\(name).\(round)"),
        username: "ada@contoso.com"
      )
      try await store.save(document, holding: lock)
      await lock.release()
    }
  }
}
