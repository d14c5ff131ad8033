/// Why a folder cannot be used.
package struct FolderError: Error, Sendable, Equatable {
  /// The kinds that a caller tells apart.
  package enum Kind: String, Sendable {
    /// Neither `HOME` nor the password database says where the home folder is.
    case noHome = "no_home"
    /// The system refused to create or open it.
    case unusable
    /// It exists, but others could put files into it, or it is not where it seems to be.
    case notPrivate = "not_private"
  }

  package let kind: Kind
  /// What is wrong, where, and what to do, in words fit for a terminal.
  package let message: String

  init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }
}
