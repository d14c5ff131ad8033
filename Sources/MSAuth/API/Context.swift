/// What a flow works with: what the application asked for, and everything outside that it touches.
package struct Context: Sendable {
  package let configuration: Configuration
  package let dependencies: Dependencies

  package init(configuration: Configuration, dependencies: Dependencies) {
    self.configuration = configuration
    self.dependencies = dependencies
  }
}
