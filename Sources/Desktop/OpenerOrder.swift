/// Which programs are asked to open the browser, in which order.
enum OpenerOrder {
  /// What the person chose, `--browser` before `$BROWSER`.
  ///
  /// They hold whatever the session is like, since a command may forward the address to another computer, as Visual
  /// Studio Code's does.
  ///
  /// `xdg-open` reads `$BROWSER` too, but not under every desktop: GNOME's way past it ignores the variable.
  static func chosen(command: String?, environment: [String: String]) throws(BrowserError) -> [BrowserCommand] {
    var commands: [BrowserCommand] = []
    if let command {
      guard let first = BrowserCommand(command) else {
        throw .noOpener(["--browser: no program in it, or a quote that is not closed"])
      }
      commands.append(first)
    }
    return commands + BrowserCommand.list(environment["BROWSER"] ?? "")
  }

  /// What the system offers in this session.
  static func usual(_ session: DesktopSession, environment: [String: String]) -> [BrowserCommand] {
    var commands: [BrowserCommand] = []
    if session.sandbox != nil {
      commands.append(portal(activationToken: environment["XDG_ACTIVATION_TOKEN"]))
    }
    if session.hasDisplay {
      commands += [["xdg-open"], ["gio", "open"], ["x-www-browser"], ["sensible-browser"]].map(
        BrowserCommand.init(words:)
      )
    }
    if session.isWSL {
      // rundll32 takes the address as one argument; PowerShell and cmd.exe would read it as code.
      commands += [["wslview"], ["rundll32.exe", "url.dll,FileProtocolHandler"]].map(BrowserCommand.init(words:))
    }
    return commands
  }

  /// The desktop portal, which a sandboxed program asks instead of starting programs of its host.
  private static func portal(activationToken: String?) -> BrowserCommand {
    // The options are GVariant text: only a token that needs no quoting there goes into it.
    let token = activationToken ?? ""
    let isPlain = !token.isEmpty && token.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"'\"\\%".utf8.contains($0) }
    let options = isPlain ? "{'activation_token': <'\(token)'>}" : "{}"
    return BrowserCommand(words: [
      "gdbus", "call", "--session", "--timeout", "5",
      "--dest", "org.freedesktop.portal.Desktop", "--object-path", "/org/freedesktop/portal/desktop",
      "--method", "org.freedesktop.portal.OpenURI.OpenURI", "", "%s", options,
    ])
  }
}
