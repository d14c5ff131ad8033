import FoundationEssentials
import MSAuth
import MSAuthDesktop
import MSAuthUnix

/// Docker's `config.json`, whose `credHelpers` member lists the registries that were set up.
struct DockerConfiguration {
  /// The credential helpers by registry.
  private let helpers: JSONValue.Object?

  private static let member = "credHelpers"
  private static let helper: JSONValue = "msauth"

  private static var file: ForeignFile {
    get throws(AuthenticationError) {
      let chosen = ProcessInfo.processInfo.environment.nonEmpty("DOCKER_CONFIG")
      let directory = if let chosen { chosen } else { try ForeignFile.home + "/.docker" }
      return ForeignFile(path: directory + "/config.json")
    }
  }

  init() throws {
    let file = try Self.file
    do throws(FileError) {
      let document = try file.content() ?? []
      let object = try? JSONValue(parsing: document, options: .strict(maximumSize: ForeignFile.sizeLimit))
      helpers = object?[Self.member]?.object
    } catch {
      throw ForeignProgram.configurationError("Docker's configuration can't be read: \(error)")
    }
  }

  func hasOtherHelper(for host: String) -> Bool { helpers?[host].map { $0 != Self.helper } ?? false }

  var hosts: [String] { helpers?.filter { $0.value == Self.helper }.keys ?? [] }

  /// The members that are added for a registry.
  static func text(for host: String) -> String {
    JSONValue.object([member: .object([host: helper])]).serializedString(.pretty)
  }

  /// Adds or removes a registry; returns whether the file changed.
  static func set(_ host: String, removing: Bool) async throws -> Bool {
    let file = try file
    return try await file.setEntry([member, host], part: "msauth for \(host)", removing: removing) { present in
      guard let present, present != helper else { return helper }
      let other = present.serializedString().printable(limit: 80)
      throw ForeignProgram.configurationError("Docker runs another helper for \(host): \(other)")
        .with(hint: removing ? nil : "to replace it, remove \(host) from \(member) in \(file.path)")
    }
  }
}
