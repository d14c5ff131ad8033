import Glibc
package import MSAuthCore

/// Why a file or a directory can't be used.
package struct FileError: Error, Sendable, Equatable {
  /// The reasons that a caller distinguishes.
  package enum Reason: Sendable, Equatable {
    /// The path contains a NUL byte, or is relative where that has no meaning.
    case invalidPath
    case missing, symbolicLink, notRegularFile, notDirectory
    case foreignOwner(UInt32)
    /// Other users can read or write it.
    case accessibleByOthers
    case writableByOthers, hardLink
    /// msauth didn't write its content, so the file isn't replaced.
    case foreignContent
    case tooLarge(limit: Int)
    /// Another process locked it.
    case inUse
    /// An `errno`.
    case system(Int32)
  }

  package let path: String
  package let reason: Reason

  package init(_ reason: Reason, _ path: String) { (self.reason, self.path) = (reason, path) }

  /// The error of the system call that failed just now.
  package static func system(_ path: String) -> FileError { FileError(.system(errno), path) }

  /// Whether another user could have created, changed or replaced the file.
  package var isDistrusted: Bool {
    switch reason {
    case .invalidPath, .symbolicLink, .notRegularFile, .foreignOwner, .accessibleByOthers, .writableByOthers, .hardLink:
      true
    case .missing, .notDirectory, .foreignContent, .tooLarge, .inUse, .system: false
    }
  }
}

extension FileError {
  package var hint: Hint? { hint(for: geteuid()) }

  func hint(for user: UInt32) -> Hint? {
    let file = path.pathArgument
    return switch reason {
    case .symbolicLink: "replace the symbolic link \(path) with the file itself"
    case .foreignOwner where path.utf8.starts(with: "/etc/".utf8): "as root, run \(command: ["chown", "root", file])"
    // Root could take over the user's file, but should have run as that user.
    case .foreignOwner(let owner) where user == 0: .withoutSudo(as: PasswordEntry(user: owner)?.name ?? "\(owner)")
    case .foreignOwner: "\(command: ["sudo", "chown", "\(user)", file]); a program run with sudo may have created it"
    case .accessibleByOthers: "\(command: ["chmod", "600", file])"
    case .writableByOthers: "\(command: ["chmod", "go-w", file])"
    case .hardLink: "remove the other names of \(path), or copy the file"
    case .foreignContent: "name another file"
    case .system(let code): Self.hint(for: code)
    case .invalidPath, .missing, .notRegularFile, .notDirectory, .tooLarge, .inUse: nil
    }
  }

  package static func hint(for code: Int32) -> Hint? {
    switch code {
    case ENOSPC, EDQUOT: "free space on that disk"
    case EFBIG: "raise the limit on the size of files: ulimit -f unlimited"
    case EIO: "check the disk; dmesg shows its errors"
    case EMFILE, ENFILE, ENOMEM: "close some programs, and try again"
    default: nil
    }
  }
}

extension FileError: CustomStringConvertible {
  package var description: String { "\(path.printable(limit: 300)) \(what)" }

  /// What is wrong, to follow the path in a message.
  package var what: String {
    switch reason {
    case .invalidPath: "isn't a usable path"
    case .missing: "doesn't exist"
    case .symbolicLink: "is a symbolic link"
    case .notRegularFile: "isn't a regular file"
    case .notDirectory: "isn't a directory"
    case .foreignOwner(let user): "belongs to another user (\(user))"
    case .accessibleByOthers: "can be read or written by others"
    case .writableByOthers: "can be written by others"
    case .hardLink: "has a second name (a hard link)"
    case .foreignContent: "exists and isn't msauth's"
    case .tooLarge(let limit): "is larger than \(Self.size(limit))"
    case .inUse: "is in use by another program"
    case .system(let code): "can't be used: \(Self.message(of: code))"
    }
  }

  package static func message(of code: Int32) -> String {
    strerror(code).map { String(cString: $0) } ?? "error \(code)"
  }

  package static func size(_ bytes: Int) -> String {
    switch bytes {
    case _ where bytes >= 1 << 20 && bytes.isMultiple(of: 1 << 20): "\(bytes >> 20) MiB"
    case _ where bytes >= 1 << 10 && bytes.isMultiple(of: 1 << 10): "\(bytes >> 10) KiB"
    default: "\(bytes) bytes"
    }
  }
}
