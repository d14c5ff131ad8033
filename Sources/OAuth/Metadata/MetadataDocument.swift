import Core

/// A metadata document's members, each checked as it is read.
struct MetadataDocument {
  let json: JSON.Object
  let authority: Authority

  /// The maximum number of values in a list; the longest public one has some 60 values.
  private static let listLimit = 500

  func text(_ name: String) throws(Failure) -> String {
    guard let value = json[name] else { throw .invalidMetadata("\(name) is missing") }
    guard let text = value.string else { throw .invalidMetadata("\(name) is not a string") }
    return text
  }

  /// An endpoint without which nobody can sign in.
  func endpoint(_ name: String) throws(Failure) -> String {
    guard let endpoint = try optionalEndpoint(name) else { throw .invalidMetadata("\(name) is missing") }
    return endpoint
  }

  /// An endpoint that the provider may lack.
  ///
  /// The authorization endpoint goes to the system's URL opener: what is not plainly a web address (`javascript:`,
  /// `file:`, a leading dash, a control character) must never get there (CVE-2025-6514 was of this kind).
  func optionalEndpoint(_ name: String) throws(Failure) -> String? {
    guard let value = json[name], value != .null else { return nil }
    guard let text = value.string else { throw .invalidMetadata("\(name) is not a string") }
    let url: WebURL
    do {
      url = try WebURL(text, .endpoint)
    } catch {
      throw .invalidMetadata("\(name) \(error.reason)")
    }
    // A provider on the network has no business with this machine's ports.
    guard url.scheme == "https" || authority.isPlainHTTP else {
      throw .invalidMetadata("\(name) is http although the authority is https")
    }
    return text
  }

  func list(_ name: String) throws(Failure) -> [String]? {
    guard let value = json[name], value != .null else { return nil }
    guard let array = value.array, array.count <= Self.listLimit else {
      throw .invalidMetadata("\(name) is not a list of at most \(Self.listLimit) values")
    }
    return array.compactMap(\.string)
  }

  func flag(_ name: String) throws(Failure) -> Bool {
    guard let value = json[name], value != .null else { return false }
    guard let flag = value.bool else { throw .invalidMetadata("\(name) is neither true nor false") }
    return flag
  }
}
