import FoundationEssentials
import Glibc
import MSAuth
import MSAuthDesktop
import MSAuthUnix

/// Docker's `config.json`, whose `credHelpers` member lists the registries that were set up.
struct DockerConfiguration {
  /// The credential helpers by registry.
  private let helpers: JSONValue.Object?

  private static let member = "credHelpers"
  private static let helper: JSONValue = "msauth"

  private static var path: String {
    get throws(AuthenticationError) {
      let directory = ProcessInfo.processInfo.environment.nonEmpty("DOCKER_CONFIG")
      return if let directory { directory + "/config.json" } else { try ForeignProgram.home + "/.docker/config.json" }
    }
  }

  init() throws {
    let path = try Self.path
    do throws(FileError) {
      let document = access(path, F_OK) == 0 ? try readTrustedFile(at: path, limit: ForeignProgram.sizeLimit) : []
      let object = try? JSONValue(parsing: document, options: .strict(maximumSize: ForeignProgram.sizeLimit))
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
    let path = try path
    let part = "msauth for \(host)"
    return try await ForeignProgram.setEntry([member, host], in: path, part: part, removing: removing) { present in
      guard let present, present != helper else { return helper }
      let other = present.serializedString().printable(limit: 80)
      throw ForeignProgram.configurationError("Docker runs another helper for \(host): \(other)")
        .with(hint: removing ? nil : "to replace it, remove \(host) from \(member) in \(path)")
    }
  }
}
