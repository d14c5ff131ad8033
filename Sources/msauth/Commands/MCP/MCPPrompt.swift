import MSAuth

/// Prompts the user to confirm what a server requests: at the terminal, or in a notification.
enum MCPPrompt {
  /// Returns the user's answer; `nil` if the user can't be prompted.
  static func isConfirmed(_ statement: String, inputIsData: Bool = false, timeout: Duration) async -> Bool? {
    let statement = statement + "."
    if !inputIsData, Questions.canBeAsked {
      Questions.explain(statement)
      return (try? await Questions.confirm("Continue", default: false)) ?? false
    }
    let notification = SignInNotification(summary: "Sign in to an MCP server?", body: statement, timeout: timeout)
    return try? await notification.isAccepted()
  }
}
