/// What may be typed behind the program's name: nothing but a call for help.
enum Usage {
  static let help = """
    usage: msauth-app

    The app of Microsoft's MSAL tutorial, as a page in your browser: sign in, call Microsoft Graph, sign out. It ends
    when you close the page, or with Ctrl-C.

    It is configured as msauth is: MSAUTH_CLIENT_ID, MSAUTH_AUTHORITY, MSAUTH_AUTHORITY_TYPE, MSAUTH_PROFILE,
    MSAUTH_CONFIG, MSAUTH_STORE, MSAUTH_CACHE_FILE, or ~/.config/msauth/config.json. MSAUTH_GRAPH_ENDPOINT says where
    Microsoft Graph is. Without any of them the constants at the top of its source hold.
    """

  /// What to do with the arguments.
  enum Answer: Equatable { case run, help, wrong(String) }

  static func answer(to arguments: some Collection<String>) -> Answer {
    guard let first = arguments.first else { return .run }
    return first == "--help" || first == "-h" ? .help : .wrong(first)
  }
}
