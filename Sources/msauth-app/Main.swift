import Foundation
import Glibc
import Core
import Unix

/// The tutorial's application: a page in the person's browser, and behind it this program.
@main
enum Main {
  static func main() async {
    Hardening.apply()
    switch Usage.answer(to: CommandLine.arguments.dropFirst()) {
    case .run: break
    case .help:
      print(Usage.help)
      exit(App.Status.done)
    case .wrong(let argument):
      App.say("\(argument.printable(limit: 80)) means nothing here")
      App.say("hint: see msauth-app --help")
      exit(App.Status.usage)
    }
    let work = Task { await App.run(environment: ProcessInfo.processInfo.environment) }
    let interruption = Interruption { work.cancel() }
    let status = await work.value
    exit(interruption.status ?? status)
  }
}
