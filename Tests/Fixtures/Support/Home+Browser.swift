extension Home {
  /// Installs a browser as the person's default one, as desktops and `xdg-open` find it.
  ///
  /// - Parameters:
  ///   - id: The ID of its desktop entry, without `.desktop`.
  ///   - name: What people call it.
  ///   - command: The entry's `Exec`, in which `%u` or `%U` stands for the address.
  /// - Throws: An error of the file system.
  package func installBrowser(_ id: String, name: String, command: String) throws {
    try write(
      """
      [Desktop Entry]
      Type=Application
      Name=\(name)
      Exec=\(command)
      MimeType=x-scheme-handler/http;x-scheme-handler/https;text/html;

      """,
      to: "data/applications/\(id).desktop"
    )
    try write(
      """
      [Default Applications]
      x-scheme-handler/http=\(id).desktop
      x-scheme-handler/https=\(id).desktop
      text/html=\(id).desktop

      """,
      to: "config/mimeapps.list"
    )
  }
}
