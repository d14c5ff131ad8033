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
    let level = options.verbose
    if level > 0 {
      application.log = { Console.say($0.message) }
      application.logLevel = level == 1 ? .info : .verbose
      // The person at the terminal is whom it tells of.
      application.logMasking = .secretsOnly
    }
  }
}
