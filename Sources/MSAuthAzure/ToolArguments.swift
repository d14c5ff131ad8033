import MSAuth
package import MSAuthCore

/// The arguments of `az`, `azd` and `keyring`, as far as SDKs and tools pass them.
package struct ToolArguments: Sendable {
  /// The arguments that are neither options nor their values, such as `account` and `show`.
  package private(set) var positionals: [String] = []
  private var values: [String: [String]] = [:]

  private static let aliases = [
    "-o": "--output", "-s": "--subscription", "-t": "--tenant", "-n": "--subscription", "--name": "--subscription",
    "--tenant-id": "--tenant",
  ]
  private static let options: Set<String> = [
    "--output", "--subscription", "--tenant", "--resource", "--resource-type", "--scope", "--query", "--claims",
    "--mode",
  ]
  private static let flags: Set<String> = [
    "--only-show-errors", "--no-prompt", "--verbose", "--debug", "--all", "--refresh", "--use-device-code",
    "--allow-no-subscriptions",
  ]

  package init(_ arguments: some Sequence<String>) throws(Rejection) {
    var open: String?
    // A short option's value may follow it without a space, as in -otsv.
    let separated = arguments.flatMap { word in
      let name = String(word.prefix(2))
      let isShort = Self.aliases[name] != nil && word.count > 2 && !word.hasPrefix(name + "=")
      return isShort ? [name, String(word.dropFirst(2))] : [word]
    }
    for argument in separated {
      guard argument.hasPrefix("-") else {
        if let option = open {
          values[option, default: []].append(argument)
          // az's --scope takes several values.
          if option != "--scope" { open = nil }
        } else {
          positionals.append(argument)
        }
        continue
      }
      if let open, values[open] == nil { throw Rejection("\(open) has no value") }
      open = nil
      let parts = argument.split(at: "=", maxSplits: 1)
      guard let name = Self.option(parts[0]) else {
        throw Rejection("the option \(parts[0].printable(limit: 40)) is unknown")
      }
      if Self.flags.contains(name) { continue }
      if parts.count == 2 { values[name, default: []].append(parts[1]) } else { open = name }
    }
    if let open, values[open] == nil { throw Rejection("\(open) has no value") }
  }

  /// The option that has the name, or the only one whose name begins with it, as in argparse.
  private static func option(_ name: String) -> String? {
    let all = options.union(flags).union(aliases.keys)
    let matching: Set = all.contains(name) ? [name] : all.filter { $0.hasPrefix(name) }
    let names = Set(matching.map { aliases[$0] ?? $0 })
    return names.count == 1 ? names.first : nil
  }

  /// Rejects an option that the command would ignore.
  package func allow(_ options: String...) throws(Rejection) {
    if let other = values.keys.sorted().first(where: { !options.contains(String($0.dropFirst(2))) }) {
      throw Rejection("\(positionals.joined(separator: " ").printable(limit: 40)) doesn't take \(other)")
    }
  }

  /// The last value of an option; az ignores the case of formats and resource types.
  package subscript(_ option: String) -> String? {
    let value = values["--" + option]?.last
    return ["output", "resource-type"].contains(option) ? value?.lowercased() : value
  }

  package func all(_ option: String) -> [String] { values["--" + option] ?? [] }

  /// The scopes that az's options name, or else those of a resource type; empty if there are none.
  package func scopes(in cloud: AzureCloud, defaultType: String? = nil) throws(Rejection) -> [String] {
    let scopes = all("scope").flatMap { $0.split(separator: " ").map(String.init) }
    if !scopes.isEmpty { return scopes }
    let type = self["resource-type"] ?? (self["resource"] == nil ? defaultType : nil)
    let known = type.flatMap { cloud.resources[$0] }
    if type != nil, known == nil {
      throw Rejection("--resource-type takes \(cloud.resources.keys.sorted().joined(separator: ", "))")
    }
    guard let named = known ?? self["resource"] else { return [] }
    guard let resource = AzureEndpoint.resource(named) else { throw Rejection("--resource isn't a resource") }
    return [Scopes.default(of: resource)]
  }
}
