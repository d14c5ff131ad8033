import ArgumentParser
import MSAuth
import MSAuthMCP
import MSAuthPreferences
import MSAuthUnix

struct MCPOptions: MessageOptions {
  @Argument(help: "URL of the server, such as https://mcp.example.com/mcp.")
  var url: String

  @Option(file: "File with the client secret, if the server's authorization server issued one.")
  var clientSecretFile: String?

  @Option(help: .value("id", "The client ID at the server's authorization server."))
  var clientID: String?

  @Option(help: .value("name", "Name of one of several sessions at the server, such as an account's."))
  var session: String?

  @OptionGroup(title: StoreOptions.title) var storeOptions: StoreOptions

  var messages: Console.Messages { storeOptions.messages }

  func validate() throws {
    try checkNotEmpty(["client_id": clientID, "session": session])
    try reject(mistakes: ["--client-secret-file needs --client-id": clientSecretFile != nil && clientID == nil])
  }

  // Swift 6.3's optimizer crashes when it inlines this into an async function.
  @inline(never)
  func server(
    _ settings: Settings,
    scopes: [String] = [],
    confirm: @escaping @Sendable (MCPConfirmation) async -> Bool? = { _ in nil }
  ) async throws -> MCPServer {
    var serverSettings = MCPServer.Settings(for: url, clientID: clientID, in: settings, storeOptions)
    serverSettings.clientSecret = try clientSecret
    serverSettings.session = session
    serverSettings.scopes = scopes.isEmpty ? serverSettings.scopes : scopes
    serverSettings.confirm = confirm
    return try await MCPServer(url, settings: serverSettings, configuration: settings.application)
  }

  var clientSecret: String? {
    get throws {
      guard let path = clientSecretFile else { return nil }
      do throws(FileError) {
        let secret = try readTrustedFile(at: path, limit: 4096).firstLine
        if !secret.isEmpty { return secret }
      } catch {
        throw AuthenticationError.usage("--client-secret-file: \(error)")
      }
      throw AuthenticationError.usage("--client-secret-file: \(path.printable()) is empty")
    }
  }
}

extension MCPServer.Settings {
  /// Creates a server's settings from the configuration; a client ID that was given overrides the configured one.
  init(for url: String, clientID given: String?, in settings: Settings, _ options: StoreOptions) {
    self.init()
    let configured = (try? WebURL(url, .endpoint)).flatMap { settings.mcp[$0.string] }
    let profile = settings.given["profile"] ?? configured?.profile
    let flags = Layer(flags: options.flags)
    clientID = given ?? configured?.clientID ?? settings.mcpClientID
    scopes = configured?.scopes
    registrations = { try Settings.registrations(flags, profile: profile) }
    requiresRegistration = profile != nil
  }
}
