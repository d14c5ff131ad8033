import MSAuth
import MSAuthCore

@testable import MSAuthPreferences

/// The configuration file, with a few flags.
@Sendable func fuzzConfiguration(_ input: Input) {
  var input = input
  let choice = input.byte()
  var flags: [String: String] = [:]
  if choice & 1 != 0 { flags["tenant"] = "contoso.example" }
  if choice & 2 != 0 { flags["store"] = "file" }
  if choice & 4 != 0 { flags["profile"] = "work" }
  if choice & 8 == 0 { flags["client_id"] = "c" }
  let path = "/home/u/.config/msauth/config.json"
  do {
    let file = ConfigurationFile(input.bytes, path: path)
    if let mistake = file.mistakes.first { throw mistake }
    let effective = try EffectiveSettings(Layer(flags: flags), [:], file, at: path)
    let settings = try Settings(effective, environment: ["HOME": "/home/u"])
    require(!settings.application.clientID.isEmpty, "there is a client ID")
    let url = try WebURL(settings.application.authority.url)
    require(url.isSecure || url.isLoopback, "an authority uses https, or is on this machine")
    require(settings.timeout.map { $0 > 0 && $0.isFinite } ?? true, "a timeout is positive and finite")
  } catch let error as AuthenticationError {
    require([.invalidConfiguration, .invalidParameter].contains(error.code), "an error is about a file or a flag")
    require(!flags.isEmpty || error.code == .invalidConfiguration, "without flags, an error is about the file")
    requirePrintable(error.message, "a message")
  } catch {
    fatalError("not an AuthenticationError: \(error)")
  }
}
