package import Core
import Glibc
import Unix

/// Where this process runs: whether a browser can appear in front of a person, and whether there is one.
package struct DesktopSession: Sendable, Equatable {
  /// A sandbox whose programs reach the desktop through its portal.
  package enum Sandbox: String, Sendable {
    case flatpak = "a Flatpak sandbox"
    case snap = "a Snap"
  }

  /// The X display, such as `:0`; over SSH that of the person's own computer.
  package let x11Display: String?
  /// The Wayland display, such as `wayland-0`.
  package let waylandDisplay: String?
  /// Whether the person is at another computer.
  package let isSSH: Bool
  /// Whether this is the Windows Subsystem for Linux, where programs of Windows can be started.
  package let isWSL: Bool
  package let sandbox: Sandbox?
  package let isContainer: Bool
  /// Whether this is a terminal of Visual Studio Code whose window is on another computer.
  package let isVSCodeRemote: Bool
  /// Whether this is a job of a build server.
  package let isCI: Bool
  /// The user who called sudo, when this runs as root.
  package let sudoUser: String?
  /// This computer in the syntax of the person's ssh, if known: `-p 2222 user@192.0.2.1`.
  private let sshTarget: String?

  /// The user ID that this runs as.
  package let effectiveUser: UInt32

  package init(
    environment: [String: String],
    files: SystemFiles = .live,
    effectiveUser: UInt32 = geteuid(),
    nameOfUser: (UInt32) -> String? = DesktopSession.nameInPasswordDatabase
  ) {
    self.effectiveUser = effectiveUser
    func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    func has(_ name: String) -> Bool { value(name) != nil }
    x11Display = value("DISPLAY")
    waylandDisplay = value("WAYLAND_DISPLAY")
    isSSH = has("SSH_CONNECTION") || has("SSH_TTY")
    let kernel = files.content("/proc/version")?.lowercased() ?? ""
    isWSL = has("WSL_INTEROP") || kernel.contains("microsoft")
    if files.exists("/.flatpak-info") || has("FLATPAK_ID") {
      sandbox = .flatpak
    } else {
      sandbox = has("SNAP") ? .snap : nil
    }
    isContainer =
      files.exists("/.dockerenv") || files.exists("/run/.containerenv") || has("container")
      || has("REMOTE_CONTAINERS") || has("KUBERNETES_SERVICE_HOST")
    isVSCodeRemote = has("VSCODE_IPC_HOOK_CLI") || has("REMOTE_CONTAINERS") || has("CODESPACES")
    // People turn the first two off by a value.
    isCI =
      ["CI", "TF_BUILD"].contains { has($0) && !["false", "0"].contains(environment[$0]) }
      || ["JENKINS_URL", "TEAMCITY_VERSION"].contains(where: has)
    // Root's own `sudo` changes nobody.
    let caller = value("SUDO_USER")
    sudoUser = effectiveUser == 0 && caller != "root" ? caller : nil

    // "client-address client-port server-address server-port", ssh(1).
    let connection = (environment["SSH_CONNECTION"] ?? "").utf8.split(separator: UInt8(ascii: " "))
      .map { String(decoding: $0, as: UTF8.self) }
    let names = [environment["LOGNAME"], environment["USER"], isSSH ? nameOfUser(effectiveUser) : nil]
    let user = names.compactMap(\.self).first(where: Self.isName) ?? "USER"
    if connection.count == 4, connection[2].utf8.allSatisfy("0123456789abcdefABCDEF:.".utf8.contains),
      UInt16(connection[3]) != nil
    {
      sshTarget = (connection[3] == "22" ? "" : "-p \(connection[3]) ") + "\(user)@\(connection[2])"
    } else {
      sshTarget = isSSH ? "\(user)@HOST" : nil
    }
  }

  /// Whether there is an X or Wayland display.
  package var hasDisplay: Bool { x11Display != nil || waylandDisplay != nil }

  /// Whether a person may be here though there is no terminal: at a display, or at the other end of a connection.
  package var mayHavePerson: Bool { hasDisplay || isSSH || isWSL || isVSCodeRemote }

  /// Whether the system's openers can show a browser here; a command that the person chose may even if they cannot.
  package var canShowBrowser: Bool {
    // Root's browser would not have the person's sessions, and Chromium refuses to run as root.
    sudoUser == nil && (hasDisplay || isWSL)
  }

  /// The session in words, for a message.
  package var kind: String {
    let name: String
    if let sudoUser {
      return "root by sudo for \(sudoUser.printable(limit: 40))"
    } else if let sandbox {
      name = sandbox.rawValue
    } else if isVSCodeRemote {
      name = "a remote terminal of Visual Studio Code"
    } else if isSSH {
      name = "an SSH session"
    } else if isWSL {
      name = "the Windows Subsystem for Linux"
    } else if isContainer {
      name = "a container"
    } else {
      name = hasDisplay ? "a desktop session" : "a text session"
    }
    return hasDisplay || isWSL ? name : name + " without a display"
  }

  /// All that is known of the session, each fact in words, for `msauth doctor`.
  package var facts: [String] {
    let facts: [(Bool, String)] = [
      (sudoUser != nil, "root by sudo for \((sudoUser ?? "").printable(limit: 40))"),
      (sandbox != nil, sandbox?.rawValue ?? ""),
      (isVSCodeRemote, "a remote terminal of Visual Studio Code"),
      (isSSH, "an SSH session"),
      (isWSL, "the Windows Subsystem for Linux"),
      (isContainer, "a container"),
      (isCI, "a build server's job"),
      (x11Display != nil, "X11 display \((x11Display ?? "").printable(limit: 40))"),
      (waylandDisplay != nil, "Wayland display \((waylandDisplay ?? "").printable(limit: 80))"),
      (!hasDisplay, "no display"),
    ]
    return facts.filter(\.0).map(\.1)
  }

  /// What the user can do where no browser opens: `port` is the listener's, and only a sign-in can use a device code.
  package func hintForNoBrowser(port: UInt16, signsIn: Bool = true) -> Hint {
    if let sudoUser { return .withoutSudo(as: sudoUser) }
    let address: Hint =
      if isVSCodeRemote {
        "forward port \(port) in the Ports view of Visual Studio Code, then open the address in your browser"
      } else if isSSH {
        """
        on the computer with the browser run `ssh -L \(port):127.0.0.1:\(port) \(sshTarget ?? "USER@HOST")`, then open the \
        address there
        """
      } else if isContainer {
        "share the host's network with the container, then open the address on the host"
      } else {
        "open the address in a browser on this computer"
      }
    guard signsIn else { return address }
    let deviceCode: Hint = "\(address), or use \(setting: "device_code", or: "a device code")"
    // `msauth login --via` needs no port; other programs have no such option.
    return isSSH && !isVSCodeRemote ? "\(deviceCode)\(setting: "via", or: "")" : deviceCode
  }

  /// The port to listen on where the browser is at the other end of an SSH connection, so that the line which forwards
  /// it stays the same: 20000 and the last four digits of the user ID, below the ports that systems give out.
  package var preferredPort: UInt16? {
    isSSH && !canShowBrowser ? 20_000 + UInt16(effectiveUser % 10_000) : nil
  }

  /// The name of a user in the password database.
  package static func nameInPasswordDatabase(_ user: UInt32) -> String? {
    PasswordEntry(user: user)?.name
  }

  /// Whether a shell takes the string as a user's name and nothing else.
  private static func isName(_ user: String) -> Bool {
    !user.isEmpty && user.utf8.first != UInt8(ascii: "-") && user.utf8.allSatisfy(isNameByte)
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "-._".utf8.contains(byte)
    }
  }
}

/// Reads the few files that show what kind of system this is.
package struct SystemFiles: Sendable {
  package var exists: @Sendable (String) -> Bool
  /// A small file, nil when it cannot be read.
  package var content: @Sendable (String) -> String?

  package init(
    exists: @escaping @Sendable (String) -> Bool,
    content: @escaping @Sendable (String) -> String?
  ) {
    self.exists = exists
    self.content = content
  }

  package static let live = SystemFiles(
    exists: { access($0, F_OK) == 0 },
    content: { path in
      // The kernel's one line.
      (try? readFile(at: path, limit: 4 << 10)).map { String(decoding: $0.bytes, as: UTF8.self) }
    }
  )
}
