import MSAuth
import MSAuthPreferences

/// A key to set in the configuration file, or to remove from it.
struct SettingChange {
  let key: String
  /// `nil` removes the key.
  let values: [String]?
  let options: ProfileOptions

  /// Writes the change and reports it; returns the result for --json.
  func write() async throws -> JSONResult {
    // 1. Write the file.
    let (name, config) = (options.profile, options.fileOptions.config)
    let draft = try await ConfigurationDraft.write {
      if let name, key == "profiles", values == nil { return try ConfigurationDraft(removing: name, path: config) }
      return try ConfigurationDraft(setting: key, to: values, profile: name, path: config)
    }

    // 2. Report the change.
    let path = draft.path.printable()
    if draft.changes.isEmpty {
      let missing = draft.isNew ? "doesn't exist" : "has no \(key.printable(limit: 80))"
      let state = "\(path) \(values == nil ? missing : "already has this value")"
      Console.notice("\(state); nothing was written")
    } else {
      if let name, draft.isProfileNew { Console.notice("created the profile \(name.printable(limit: 80))") }
      Console.notice("wrote \(path)")
      for error in draft.missingFiles { Console.warning(error.message) }
    }

    // 3. Report what overrides it, and what it leaves for all users.
    let keys = [ConfigurationKey.canonical(key)]
    Config.noticeVariables(overriding: keys)
    if name == nil { Config.noticeProfile(overriding: keys, at: config) }
    let layer = Layer(config: config, profile: name)
    if values == nil, case .file(let location)? = try? EffectiveSettings(layer).setting(named: key).source,
      location.file == FileLocation.systemFile
    {
      Console.notice("\"\(location.key)\" is still set for all users, in \(location.description)")
    }
    return JSONResult(["configuration": draft.path, "written": !draft.changes.isEmpty, "profile": name])
  }
}
