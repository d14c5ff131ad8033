import ArgumentParser
import MSAuth

/// The options of every command that needs an application and its provider.
@dynamicMemberLookup
struct ProviderOptions: MessageOptions {
  static let title = "Provider, store and messages"

  @Option(help: .value("id", "Application (client) ID. [MSAUTH_CLIENT_ID]"))
  var clientID: String?

  @Option(
    name: [.customLong("authority"), .customLong("issuer")],
    help: .value("url", "Authority, or a provider's issuer. Default: Microsoft, any account. [MSAUTH_AUTHORITY]")
  )
  var authority: String?

  @Option(help: "Microsoft tenant (ID or domain), instead of --authority. [MSAUTH_TENANT]")
  var tenant: String?

  @Option(
    help: .value("type", "aad, b2c, ciam, adfs or oidc. [MSAUTH_AUTHORITY_TYPE]"),
    completion: .values(of: Authority.Kind.self)
  )
  var authorityType: String?

  @OptionGroup var storeOptions: StoreOptions

  subscript<Value>(dynamicMember option: KeyPath<StoreOptions, Value>) -> Value { storeOptions[keyPath: option] }

  var messages: Console.Messages { storeOptions.messages }

  func validate() throws { try checkNotEmpty(providerFlags) }

  /// The values of the options that were given, by setting.
  var flags: [String: String] { providerFlags.merging(storeOptions.flags) { $1 } }

  private var providerFlags: [String: String] {
    ["client_id": clientID, "authority": authority, "tenant": tenant, "authority_type": authorityType]
      .compactMapValues(\.self)
  }
}
