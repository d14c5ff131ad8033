enum MCPProgram: String, ChoiceArgument {
  case claudeCode = "claude-code"
  case cursor, vscode

  var name: String {
    switch self {
    case .claudeCode: "Claude Code"
    case .cursor: "Cursor"
    case .vscode: "VS Code"
    }
  }
}
