import MSAuth
import MSAuthPreferences

extension JSONValue {
  /// The value on one line, for scripts: a string as it is, anything else as JSON.
  var line: String { string ?? serializedString() }
}

extension Sourced<JSONValue?> {
  /// Whether the setting has a value that must not be shown.
  var isSecret: Bool { value == nil && source != .program }

  func json(key: String) -> JSONValue {
    func json(_ kind: String, name: String? = nil, location: FileLocation? = nil) -> JSONValue {
      JSONValue([
        "key": key, "value": value, "secret": isSecret ? true : nil, "source": kind, "name": name,
        "file": location?.file, "file_key": location?.key, "line": location?.line,
      ])
    }
    return switch source {
    case .file(let location): json("file", location: location)
    case .variable(let variable): json("environment", name: variable)
    case .flag(let flag): json("flag", name: flag)
    case .program: json("default")
    }
  }
}
