import ArgumentParser
import MSAuthPreferences

/// The options of every command that reads the configuration file and the token store.
struct StoreOptions: MessageOptions {
  static let title = "Store and messages"

  @Option(
    help: .value("name", "Profile in the configuration file, or \"default\" for none. [MSAUTH_PROFILE]"),
    completion: .profiles
  )
  var profile: String?

  @Option(file: "Configuration file. [MSAUTH_CONFIG]")
  var config: String?

  @Option(help: "auto, secret-service, file or memory. [MSAUTH_STORE]", completion: .values(of: StoreSetting.self))
  var store: String?

  @Option(file: "Token cache of the file store. [MSAUTH_CACHE_FILE]")
  var cacheFile: String?

  @Option(file: "PEM file of trusted certificate authorities. [MSAUTH_CA_FILE]")
  var caFile: String?

  @OptionGroup var quietOption: QuietOption

  @Flag(name: .short, help: "Print details (-vv for more), never secrets.")
  var verbose: Int

  func validate() throws {
    try reject(together: ["-q": quietOption.quiet, "-v": verbose > 0])
    try checkNotEmpty(flags)
  }

  var messages: Console.Messages { verbose > 0 ? .detailed : quietOption.messages }

  var flags: [String: String] {
    ["profile": profile, "config": config, "store": store, "cache_file": cacheFile, "ca_file": caFile]
      .compactMapValues(\.self)
  }
}
