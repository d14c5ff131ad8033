import Core
package import MSAuth

extension EffectiveSettings {
  /// The variables of the environment that were probably meant as settings, and are none.
  package static func misnamedVariables(in environment: [String: String]) -> [AuthenticationError] {
    let settings = Key.all.filter { $0.assign != nil }
    let prefix = "MSAUTH_".utf8
    return environment.keys.sorted().compactMap { variable in
      guard variable.utf8.starts(with: prefix), !settings.contains(where: { $0.variable.isIdentical(to: variable) }),
        let name = String(variable.utf8.dropFirst(prefix.count))?.lowercased()
      else { return nil }
      let source = Source.variable(variable.printable(limit: 80))
      if Key.all.contains(where: { $0.assign == nil && $0.name.isIdentical(to: name) }) {
        return source.error("has no effect", hint: "\(name) is read from the configuration file alone")
      }
      guard let meant = nearest(to: name, in: settings.map(\.name)),
        let key = settings.first(where: { $0.name.isIdentical(to: meant) })
      else { return nil }
      return source.error("has no effect", hint: "did you mean \(key.variable)?")
    }
  }
}
