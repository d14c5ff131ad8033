import MSAuth
import Preferences

extension Settings {
  /// The settings of a command.
  ///
  /// - Parameter options: What the command line says.
  /// - Throws: ``AuthenticationError`` that names what is wrong, and where.
  init(_ options: SharedOptions) throws {
    var flags = Flags()
    flags.clientID = options.clientID
    flags.authority = options.authority
    flags.authorityType = options.authorityType
    flags.profile = options.profile
    flags.config = options.config
    flags.store = options.store
    flags.cacheFile = options.cacheFile
    try self.init(flags)
    application.returnPlace = "your terminal"
    let level = options.verbose
    application.log = { entry in
      // Errors end the command, which tells them itself.
      if level > 0 || entry.level == .warning { Console.say(entry.message) }
    }
    application.logLevel = level == 0 ? .warning : level == 1 ? .info : .verbose
    // The person at the terminal is whom it tells of.
    application.logMasking = .secretsOnly
  }
}
