import MSAuth
import Preferences

extension Settings {
  /// The settings of a command.
  ///
  /// The file is read on the command's own thread, which has nothing else to do yet: to start another takes longer.
  init(_ options: SharedOptions, _ account: AccountOption? = nil) throws {
    var given = options.flags
    given["account"] = account?.account
    self = try Settings(Layer(flags: given))
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
