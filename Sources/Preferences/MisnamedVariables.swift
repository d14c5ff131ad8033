import Core
package import MSAuth

extension EffectiveSettings {
  /// The variables of the environment that were probably meant as settings, and are none.
  ///
  /// - Parameter environment: The process's environment.
  /// - Returns: An error for each, which names the setting, in the order of their names.
  package static func misnamedVariables(in environment: [String: String]) -> [AuthenticationError] {
    let settings = Key.all.filter { $0.assign != nil }
    return environment.keys.sorted().compactMap { variable in
      let prefix = "MSAUTH_"
      guard variable.hasPrefix(prefix), !settings.contains(where: { $0.variable.isIdentical(to: variable) }) else {
        return nil
      }
      let name = variable.dropFirst(prefix.count).lowercased()
      let source = Source.variable(variable.printable(limit: 80))
      if Key.all.contains(where: { $0.assign == nil && $0.name.isIdentical(to: name) }) {
        return source.error("has no effect", remedy: .advice("\(name) is read from the configuration file alone"))
      }
      let meant = nearest(to: name, in: settings.map(\.name))
      return meant.flatMap { meant in settings.first { $0.name == meant } }.map { key in
        source.error("has no effect", remedy: .advice("did you mean \(key.variable)?"))
      }
    }
  }
}
