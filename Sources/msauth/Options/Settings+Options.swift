import MSAuth
import Preferences
import Unix

extension Settings {
  /// The settings of a command.
  ///
  /// - Parameters:
  ///   - options: The command line's.
  ///   - account: The account that it names, of a command that is about one.
  /// - Throws: ``AuthenticationError`` that names what is wrong, and where.
  init(_ options: SharedOptions, _ account: AccountOption? = nil) async throws {
    var given = options.flags
    given["account"] = account?.account
    let flags = Layer(flags: given)
    self = try await BackgroundThread.run { _ in try Settings(flags) }
    application.applicationName = nil
    Console.configure(isQuiet: options.quiet, isVerbose: options.verbose > 0)
    let level = options.verbose
    application.log = { entry in
      // Errors end the command, which reports them itself.
      if level > 0 { Console.say(entry.message) } else if entry.level == .warning { Console.notice(entry.message) }
    }
    application.logLevel = level == 0 ? .warning : level == 1 ? .info : .verbose
    // The log is about the person at the terminal.
    application.logMasking = .secretsOnly
  }
}
