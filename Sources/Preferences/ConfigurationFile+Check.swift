package import MSAuth
import FoundationEssentials

extension ConfigurationFile {
  /// All mistakes of a configuration file: of its form, its keys and values, and of what they mean together, for the file
  /// alone and with each profile.
  static func mistakes(
    in document: [UInt8],
    path: String,
    edit: Edit? = nil,
    namesLines: Bool = true
  ) -> [AuthenticationError] {
    var mistakes: [AuthenticationError] = []
    func note(_ check: () throws -> Void) {
      do {
        try check()
      } catch {
        let error = error as? AuthenticationError ?? AuthenticationError(.internalError, "\(error)")
        // What is wrong without a profile is wrong with each.
        if !mistakes.contains(where: { $0.message == error.message }) { mistakes.append(error) }
      }
    }
    var file: ConfigurationFile?
    note {
      file = try ConfigurationFile(document, path: path, edit: edit, namesLines: namesLines) { error in
        note { throw error }
      }
    }
    guard let file else { return mistakes }
    let layers = [(file.layer, file.layer)] + file.profiles.sorted { $0.key < $1.key }.map { ($1, $1.over(file.layer)) }
    for (own, merged) in layers {
      note { try own.checkAuthority() }
      note { try merged.checkClientID() }
      note { try merged.checkRedirectURI() }
      note { _ = try merged.authority(known: merged.knownAuthorities()) }
      note { _ = try merged.chosenStore() }
    }
    return mistakes
  }
}

/// The mistakes of a configuration file.
package struct ConfigurationCheck: Sendable {
  /// The file.
  package let path: String
  /// The mistakes; none where the file is right.
  package let mistakes: [AuthenticationError]

  /// Reads and checks a file.
  package init(path: String?, environment: [String: String] = ProcessInfo.processInfo.environment) throws {
    self.path = try ConfigurationDraft.path(path, environment: environment)
    let document = try ConfigurationFile.document(path: self.path, isOptional: false)
    mistakes = ConfigurationFile.mistakes(in: document ?? [], path: self.path)
  }
}

extension Layer {
  func checkClientID() throws {
    guard let clientID else { return }
    do throws(AuthenticationError) {
      try ClientConfiguration.validate(clientID: clientID.value)
    } catch {
      throw clientID.refused("cannot be used: \(error.message)", reason: "client_id_invalid", hint: error.hint)
    }
  }

  fileprivate func checkRedirectURI() throws {
    guard let redirectURI else { return }
    do {
      try ClientConfiguration.validate(redirectURI: redirectURI.value)
    } catch {
      guard let error = error as? AuthenticationError else { throw error }
      throw redirectURI.refused(
        "cannot be used: \(error.message)",
        reason: error.reason ?? .redirectURIInvalid,
        hint: error.hint
      )
    }
  }
}
