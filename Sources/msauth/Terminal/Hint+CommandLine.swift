import Core
import MSAuth

extension Hint {
  /// The hint with the command line's own commands and options, fit for a terminal.
  var commandLine: String {
    let words = words { part in
      switch part {
      case .text: nil
      case .signIn(_, let account?): "run \(Invocation.login(account: account))"
      case .signIn(let scopes, nil): "run \(Invocation.login(scopes: scopes))"
      case .setting(let name, let value, _): Self.setting(name, value)
      }
    }
    return words.printable(limit: 2000)
  }

  private static func setting(_ name: String, _ value: String?) -> String {
    switch name {
    case "help": "\(Invocation.command) --help"
    case "device_code": "\(Invocation.login) --device-code"
    case "store_key_file": "MSAUTH_STORE_KEY_FILE, or \"store_key_file\" in the configuration"
    case "logout": ": msauth logout"
    case "via": "; if msauth is there too, msauth login --via needs no port"
    case "www_authenticate": "msauth token --interactive --www-authenticate, with the resource's response"
    // These have no option.
    case "authorities", "dpop", "multiple_clouds_supported", "shared_device_mode_supported":
      "\"\(name)\"" + (value.map { ": \($0)" } ?? "") + " in the configuration"
    default: "--" + String(name.map { $0 == "_" ? "-" : $0 }) + (value.map { " \($0)" } ?? "")
    }
  }
}
