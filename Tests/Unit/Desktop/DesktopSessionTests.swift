import MSAuthCore
import Testing

@testable import MSAuthDesktop

@Suite struct DesktopSessionTests {
  private func session(
    _ environment: [String: String],
    files: [String: String] = [:],
    user: UInt32 = 1000
  ) -> DesktopSession {
    DesktopSession(
      environment: environment,
      file: { files[$0] },
      effectiveUser: user,
      nameOfUser: { $0 == 1000 ? nil : "bob" }
    )
  }

  @Test(
    "the kind of session and whether it can show a browser are detected",
    arguments: [
      (["DISPLAY": ":0"], [:], "a desktop session", true),
      (["WAYLAND_DISPLAY": "wayland-0"], [:], "a desktop session", true),
      (["DISPLAY": ""], [:], "a text session without a display", false),
      (["SSH_CONNECTION": "1 2 3 4"], [:], "an SSH session without a display", false),
      (["SSH_TTY": "/dev/pts/1", "DISPLAY": "localhost:10.0"], [:], "an SSH session", true),
      (["WSL_INTEROP": "/run/x"], [:], "the Windows Subsystem for Linux", true),
      ([:], ["/proc/version": "Linux 5.15 (Microsoft@x)"], "the Windows Subsystem for Linux", true),
      (["WSL_INTEROP": "/run/x"], ["/.dockerenv": ""], "the Windows Subsystem for Linux", true),
      (
        [:], ["/proc/version": "microsoft-standard-WSL2", "/run/systemd/container": "wsl\n"],
        "the Windows Subsystem for Linux", true
      ),
      (["DISPLAY": ":0"], ["/.flatpak-info": ""], "a Flatpak sandbox", true),
      (["SNAP": "/snap/x/1", "DISPLAY": ":0"], [:], "a Snap", true),
      ([:], ["/.dockerenv": ""], "a container without a display", false),
      (["REMOTE_CONTAINERS": "true"], [:], "a remote terminal of Visual Studio Code without a display", false),
    ] as [([String: String], [String: String], String, Bool)]
  )
  func kind(environment: [String: String], files: [String: String], kind: String, canShow: Bool) {
    let session = session(environment, files: files)
    #expect(session.kind == kind && session.canShowBrowser == canShow)
  }

  @Test(
    "a container on WSL's kernel isn't WSL",
    arguments: [
      ([:], ["/.dockerenv": ""]), ([:], ["/run/.containerenv": ""]), ([:], ["/run/systemd/container": "docker\n"]),
      ([:], ["/run/host/container-manager": "systemd-nspawn"]), (["container": "podman"], [:]),
      (["KUBERNETES_SERVICE_HOST": "10.0.0.1"], [:]), (["REMOTE_CONTAINERS": "true"], [:]),
      ([:], ["/proc/1/cgroup": "12:memory:/docker/0123abcd"]), ([:], ["/proc/1/cgroup": "0::/kubepods/besteffort"]),
    ] as [([String: String], [String: String])]
  )
  func containerOnWSL(environment: [String: String], files: [String: String]) {
    let kernel = "Linux version 5.15.153.1-microsoft-standard-WSL2"
    let session = session(environment, files: files.merging(["/proc/version": kernel]) { $1 })
    #expect(session.isContainer && !session.isWSL && !session.canShowBrowser)
    #expect(!session.facts.contains("the Windows Subsystem for Linux"))
    #expect(!session.hintForNoBrowser(port: 1).description.contains("on this computer"))
  }

  @Test(
    "a session's description, as recorded in each kind",
    arguments: [
      // GNOME on Debian 12.
      (["DISPLAY": ":0", "WAYLAND_DISPLAY": "w-0"], [:], ["X11 display :0", "Wayland display w-0"]),
      (["SSH_CONNECTION": "a 1 b 22", "DISPLAY": "h:10.0"], [:], ["an SSH session", "X11 display h:10.0"]),
      // Ubuntu on WSL 2 with WSLg.
      (
        ["WSL_INTEROP": "/run/WSL/9_interop", "DISPLAY": ":0"], ["/proc/version": "5.15-microsoft-standard-WSL2"],
        ["the Windows Subsystem for Linux", "X11 display :0"]
      ),
      (
        ["FLATPAK_ID": "x", "container": "flatpak", "WAYLAND_DISPLAY": "w-0"], ["/.flatpak-info": "[Application]"],
        ["a Flatpak sandbox", "a container", "Wayland display w-0"]
      ),
      (["SNAP": "/snap/x/1", "SNAP_NAME": "x"], [:], ["a Snap", "no display"]),
      (["KUBERNETES_SERVICE_HOST": "10.0.0.1"], [:], ["a container", "no display"]),
      (
        ["VSCODE_IPC_HOOK_CLI": "/run/x.sock", "BROWSER": "/x/browser.sh", "SSH_CONNECTION": "a 1 b 22"], [:],
        ["a remote terminal of Visual Studio Code", "an SSH session", "no display"]
      ),
      (["CODESPACES": "true", "CI": ""], [:], ["a remote terminal of Visual Studio Code", "no display"]),
      (["CI": "true", "GITHUB_ACTIONS": "true"], [:], ["a build server's job", "no display"]),
      (["TF_BUILD": "True"], [:], ["a build server's job", "no display"]),
      (["JENKINS_URL": "https://ci.example/"], [:], ["a build server's job", "no display"]),
      (["CI": "false"], [:], ["no display"]),
      (["DISPLAY": "\u{1b}[2J:0"], [:], ["X11 display [2J:0"]),
    ] as [([String: String], [String: String], [String])]
  )
  func facts(environment: [String: String], files: [String: String], facts: [String]) {
    #expect(session(environment, files: files).facts == facts)
  }

  @Test(
    "a user may be present if there is a display or a connection",
    arguments: [
      (["DISPLAY": ":0"], true), (["SSH_TTY": "/dev/pts/0"], true), (["WSL_INTEROP": "/run/x"], true),
      (["CODESPACES": "true"], true), (["CI": "true"], false), ([:], false),
    ] as [([String: String], Bool)]
  )
  func mayHaveUser(environment: [String: String], expected: Bool) {
    #expect(session(environment).mayHaveUser == expected)
  }

  @Test("root through sudo shows no browser; root itself may, and the variable alone has no effect")
  func sudo() {
    let environment = ["DISPLAY": ":0", "SUDO_USER": "ann"]
    #expect(!session(environment, user: 0).canShowBrowser)
    #expect(session(environment, user: 0).hintForNoBrowser(port: 1) == .withoutSudo(as: "ann"))
    #expect(session(environment, user: 1000).canShowBrowser)
    #expect(session(["DISPLAY": ":0"], user: 0).canShowBrowser)
    #expect(session(["DISPLAY": ":0", "SUDO_USER": "root"], user: 0).canShowBrowser)
    #expect(session(environment, user: 0).facts == ["root by sudo for ann", "X11 display :0"])
  }

  @Test("over SSH, the port stays the same, and the username doesn't depend on the environment")
  func preferredPort() {
    let connection = ["SSH_CONNECTION": "203.0.113.5 50000 192.0.2.1 22"]
    #expect(session(connection, user: 1234).preferredPort == 21_234)
    #expect(session(connection, user: 4_000_011_234).preferredPort == 21_234)
    #expect(session(connection.merging(["DISPLAY": "localhost:10"]) { $1 }).preferredPort == nil)
    #expect(session(["DISPLAY": ":0"]).preferredPort == nil && session([:]).preferredPort == nil)
    let hint = session(connection, user: 1234).hintForNoBrowser(port: 21_234)
    #expect(hint.description.contains("ssh -L 21234:127.0.0.1:21234 bob@192.0.2.1"))
    #expect(hint.parts.last == .action(.signInOverSSH(destination: "bob@192.0.2.1"), words: ""))
    for (server, destination) in [("192.0.2.1", "192.0.2.1"), ("2001:db8::1", "[2001:db8::1]")] {
      let other = session(["SSH_CONNECTION": "203.0.113.5 50000 \(server) 2222"], user: 1234)
      let via = Hint.Part.action(.signInOverSSH(destination: "ssh://bob@\(destination):2222"), words: "")
      #expect(other.hintForNoBrowser(port: 1).parts.last == via)
    }
  }

  @Test(
    "over SSH, the hint is the command line to type",
    arguments: [
      ("203.0.113.5 50000 192.0.2.1 22", "ann", "ssh -L 8400:127.0.0.1:8400 ann@192.0.2.1"),
      ("203.0.113.5 50000 192.0.2.1 2222", "ann", "ssh -L 8400:127.0.0.1:8400 -p 2222 ann@192.0.2.1"),
      ("::1 50000 2001:db8::1 22", "ann", "ssh -L 8400:127.0.0.1:8400 ann@2001:db8::1"),
      ("203.0.113.5 50000 192.0.2.1 22", "$(id)", "ssh -L 8400:127.0.0.1:8400 USER@192.0.2.1"),
      ("203.0.113.5 50000 `id` 22", "ann", "ssh -L 8400:127.0.0.1:8400 ann@HOST"),
      ("", "-oProxyCommand", "ssh -L 8400:127.0.0.1:8400 USER@HOST"),
    ]
  )
  func sshHint(connection: String, user: String, line: String) {
    let session = session(["SSH_CONNECTION": connection, "SSH_TTY": "/dev/pts/0", "LOGNAME": user])
    #expect(session.hintForNoBrowser(port: 8400).description.contains("`\(line)`"))
    #expect(session.hintForNoBrowser(port: 8400).description.hasSuffix("or use a device code"))
    let withoutCode = session.hintForNoBrowser(port: 8400, offersDeviceCode: false)
    #expect(!withoutCode.description.contains("device code"))
    #expect(session.hintForNoBrowser(port: 8400, signsIn: false).description.hasSuffix("open the address there"))
  }
}
