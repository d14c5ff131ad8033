/// A use of every name that `API.md` says is here, by that name: what is gone does not compile.
struct Surface {
  private(set) var names: [String] = []

  init() {
    application()
    configuration()
    parameters()
    results()
    authorities()
    errors()
  }

  /// Notes a name; compiling the use of it is all the proof there is.
  mutating func use(_ name: String, _ use: Any) { names.append(name) }
}
