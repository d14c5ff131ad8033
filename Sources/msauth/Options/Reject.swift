import ArgumentParser

func refuse(_ mistakes: KeyValuePairs<String, Bool>) throws {
  if let mistake = mistakes.first(where: \.value) { throw ValidationError(mistake.key) }
}

/// Refuses options that were given beside one that excludes them.
func refuse(_ options: KeyValuePairs<String, Bool>, with option: String) throws {
  guard let given = options.first(where: \.value)?.key else { return }
  throw ValidationError("\(option) can't be combined with \(given)")
}

/// Refuses an empty value, which may come from an unset variable in a script.
func checkNotEmpty(_ flags: [String: String?]) throws {
  if let name = flags.filter({ $0.value == "" }).keys.min() { throw ValidationError("\(optionName(name)) is empty") }
}
