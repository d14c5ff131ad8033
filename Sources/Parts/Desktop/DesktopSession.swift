import Glibc
package import MSAuthCore
import MSAuthUnix

/// The kind of session: whether a browser can appear in front of the user.
package struct DesktopSession: Sendable, Equatable {
  /// A sandbox with access to the desktop's portal.
  package enum Sandbox: String, Sendable {
    case flatpak = "a Flatpak sandbox"
    case snap = "a Snap"
  }

  package let x11Display: String?
  package let waylandDisplay: String?
  package let isSSH: Bool
  /// The Windows Subsystem for Linux, where Windows programs can be started.
  package let isWSL: Bool
  package let sandbox: Sandbox?
  package let isContainer: Bool
  /// A terminal of Visual Studio Code whose window is on another computer.
  package let isVSCodeRemote: Bool
  package let isCI: Bool
  /// The user who ran sudo.
  package let sudoUser: String?
  /// This computer in ssh's syntax: `-p 2222 user@192.0.2.1`.
  private let sshTarget: [String]
  /// This computer as one word: `user@192.0.2.1` or `ssh://user@192.0.2.1:2222`.
  private let sshDestination: String?
  package let effectiveUser: UInt32

  package init(
    environment: [String: String],
    file: (String) -> String? = DesktopSession.systemFile,
    effectiveUser: UInt32 = geteuid(),
    nameOfUser: (UInt32) -> String? = { PasswordEntry(user: $0)?.name }
  ) {
    self.effectiveUser = effectiveUser
    func value(_ name: String) -> String? { environment.nonEmpty(name) }
    func has(_ name: String) -> Bool { value(name) != nil }
    x11Display = value("DISPLAY")
    waylandDisplay = value("WAYLAND_DISPLAY")
    isSSH = has("SSH_CONNECTION") || has("SSH_TTY")
    sandbox = file("/.flatpak-info") != nil || has("FLATPAK_ID") ? .flatpak : has("SNAP") ? .snap : nil
    // Marks of container engines and systemd (https://systemd.io/CONTAINER_INTERFACE); WSL's own systemd has "wsl".
    let engine = value("container") ?? file("/run/systemd/container").map { $0.filter { !$0.isWhitespace } }
    let groups = file("/proc/1/cgroup") ?? ""
    isContainer =
      engine.map { $0 != "wsl" } ?? false
      || ["/.dockerenv", "/run/.containerenv", "/run/host/container-manager"].contains { file($0) != nil }
      || ["REMOTE_CONTAINERS", "KUBERNETES_SERVICE_HOST"].contains(where: has)
      || ["docker", "kubepods", "libpod", "containerd", "/lxc/", "/machine.slice/"].contains(where: groups.contains)
    // A container on WSL 2 shares its kernel, but can't start Windows programs.
    let hasWSLKernel = file("/proc/version")?.lowercased().contains("microsoft") == true
    isWSL = has("WSL_INTEROP") || hasWSLKernel && !isContainer
    isVSCodeRemote = has("VSCODE_IPC_HOOK_CLI") || has("REMOTE_CONTAINERS") || has("CODESPACES")
    // CI and TF_BUILD can be set to a value that turns them off.
    isCI =
      ["CI", "TF_BUILD"].contains { has($0) && !["false", "0"].contains(environment[$0]) }
      || ["JENKINS_URL", "TEAMCITY_VERSION"].contains(where: has)
    let caller = value("SUDO_USER")
    sudoUser = effectiveUser == 0 && caller != "root" ? caller : nil
    let names = [environment["LOGNAME"], environment["USER"], isSSH ? nameOfUser(effectiveUser) : nil]
    let user = names.compactMap(\.self).first(where: Self.isName) ?? "USER"
    let address = Self.sshAddress(of: user, connection: environment["SSH_CONNECTION"] ?? "")
    sshTarget = address?.target ?? ["\(user)@HOST"]
    sshDestination = address?.destination ?? (isSSH ? "\(user)@HOST" : nil)
  }

  /// This computer's address in `SSH_CONNECTION`: "client-address client-port server-address server-port" (ssh(1)).
  private static func sshAddress(of user: String, connection: String) -> (target: [String], destination: String)? {
    let parts = connection.split(at: " ")
    guard parts.count == 4, parts[2].utf8.allSatisfy("0123456789abcdefABCDEF:.".utf8.contains),
      UInt16(parts[3]) != nil
    else { return nil }
    let (host, port) = (parts[2], parts[3])
    if port == "22" { return (["\(user)@\(host)"], "\(user)@\(host)") }
    return (["-p", port, "\(user)@\(host)"], "ssh://\(user)@\(host.contains(":") ? "[\(host)]" : host):\(port)")
  }

  package var hasDisplay: Bool { x11Display != nil || waylandDisplay != nil }

  /// Whether a user may be present without a terminal: at a display, or through a connection.
  package var mayHaveUser: Bool { hasDisplay || isSSH || isWSL || isVSCodeRemote }

  /// Whether the system's openers can show a browser; a chosen command may even if they can't.
  var canShowBrowser: Bool {
    // Root's browser would not have the user's sessions, and Chromium refuses to run as root.
    sudoUser == nil && (hasDisplay || isWSL)
  }

  /// What this session is, by precedence.
  private var kinds: [String] {
    [
      sudoUser.map { "root by sudo for \($0.printable(limit: 40))" },
      sandbox?.rawValue,
      isVSCodeRemote ? "a remote terminal of Visual Studio Code" : nil,
      isSSH ? "an SSH session" : nil,
      isWSL ? "the Windows Subsystem for Linux" : nil,
      isContainer ? "a container" : nil,
    ].compactMap(\.self)
  }

  var kind: String {
    let kind = kinds.first ?? (hasDisplay ? "a desktop session" : "a text session")
    return sudoUser != nil || hasDisplay || isWSL ? kind : kind + " without a display"
  }

  /// Everything known about the session, for `msauth doctor`.
  package var facts: [String] {
    kinds
      + [
        isCI ? "a build server's job" : nil,
        x11Display.map { "X11 display \($0.printable(limit: 40))" },
        waylandDisplay.map { "Wayland display \($0.printable(limit: 80))" },
        hasDisplay ? nil : "no display",
      ].compactMap(\.self)
  }

  /// The hint if no browser opens; `port` is the listener's.
  package func hintForNoBrowser(port: UInt16, signsIn: Bool = true, offersDeviceCode: Bool = true) -> Hint {
    if let sudoUser { return .withoutSudo(as: sudoUser) }
    let address: Hint =
      if isVSCodeRemote {
        "forward port \(port) in the Ports view of Visual Studio Code, then open the address in your browser"
      } else if isSSH {
        """
        on the computer with the browser run \
        `\(command: ["ssh", "-L", "\(port):127.0.0.1:\(port)"] + sshTarget)`, then open the address there
        """
      } else if isContainer {
        "share the host's network with the container, then open the address on the host"
      } else {
        "open the address in a browser on this computer"
      }
    guard signsIn else { return address }
    let ways: Hint = "\(address)\(offersDeviceCode ? .orDeviceCode : "")"
    guard let sshDestination, isSSH, !isVSCodeRemote else { return ways }
    return "\(ways)\(action: .signInOverSSH(destination: sshDestination), or: "")"
  }

  /// The listener's port for a browser across SSH, below the ephemeral ones: the user's ssh command stays the same.
  package var preferredPort: UInt16? { isSSH && !canShowBrowser ? 20_000 + UInt16(effectiveUser % 10_000) : nil }

  /// The content of a file, empty if it can't be read; `nil` if there is none.
  static func systemFile(_ path: String) -> String? {
    guard access(path, F_OK) == 0 else { return nil }
    return String(decoding: (try? readFile(at: path, limit: 4 << 10))?.bytes ?? [], as: UTF8.self)
  }

  /// Whether the string is safe as a username in a shell command.
  private static func isName(_ user: String) -> Bool {
    !user.isEmpty && user.utf8.first != UInt8(ascii: "-")
      && user.utf8.allSatisfy { $0.isASCIIAlphanumeric || "-._".utf8.contains($0) }
  }
}
