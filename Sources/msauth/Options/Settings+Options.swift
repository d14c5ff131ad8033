import MSAuth
import MSAuthPreferences

extension Settings {
  init(_ options: ProviderOptions, _ account: AccountOption? = nil, needsClientID: Bool = true) throws {
    self = try Settings(Layer(options, account), needsClientID: needsClientID)
    apply(options.storeOptions)
  }

  /// For MCP commands, whose server names its authorization server.
  init(withoutClientID options: StoreOptions) throws {
    self = try Settings(Layer(flags: options.flags), needsClientID: false)
    apply(options)
  }

  var hasClientID: Bool { !application.clientID.isEmpty }

  private mutating func apply(_ options: StoreOptions) {
    application.applicationName = nil
    let level = options.verbose
    application.log = { entry in
      // The command reports errors itself.
      if level > 0 { Console.message(entry.message) } else if entry.level == .warning { Console.warning(entry.message) }
    }
    application.logLevel = level == 0 ? .warning : level == 1 ? .info : .verbose
    // The user at the terminal may see names.
    application.logMasking = .secretsOnly
  }
}

extension Layer {
  init(_ options: ProviderOptions, _ account: AccountOption? = nil) {
    var flags = options.flags
    flags["account"] = account?.account
    self.init(flags: flags)
    self["authority"] = self["authority"].map { Sourced($0.value, .flag(Invocation.optionName(for: "authority"))) }
  }
}
