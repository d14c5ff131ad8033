import MSAuth
import Preferences
import Unix

extension Settings {
  /// The settings of a command.
  ///
  /// - Parameter options: The command line's.
  /// - Throws: ``AuthenticationError`` that names what is wrong, and where.
  init(_ options: SharedOptions) async throws {
    let flags = Layer(flags: options.flags)
    self = try await BackgroundThread.run { _ in try Settings(flags) }
    application.applicationName = nil
    let level = options.verbose
    application.log = { entry in
      // Errors end the command, which reports them itself.
      if level > 0 || entry.level == .warning { Console.say(entry.message) }
    }
    application.logLevel = level == 0 ? .warning : level == 1 ? .info : .verbose
    // The log is about the person at the terminal.
    application.logMasking = .secretsOnly
  }
}
