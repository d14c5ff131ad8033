import CMSAuthLinux

/// The program's arguments, which `CommandLine` doesn't always find.
package enum ProcessArguments {
  /// The program, then its arguments.
  package static let all: [String] = {
    var all: [String] = []
    while let argument = linux_argument(Int32(all.count)) { all.append(String(cString: argument)) }
    return all
  }()

  /// The program's name without its directory.
  package static var programName: String? { all.first?.split(separator: "/").last.map(String.init) }

  /// The option whose value is the first argument that isn't UTF-8, or that argument itself.
  package static var invalid: String? {
    let isInvalid = { (index: Int) in linux_argument(Int32(index)).flatMap(String.init(validatingCString:)) == nil }
    guard let index = all.indices.first(where: isInvalid) else { return nil }
    if all[index].hasPrefix("--") { return all[index].split(separator: "=", maxSplits: 1).first.map(String.init) }
    return index > 1 && all[index - 1].hasPrefix("-") ? all[index - 1] : all[index]
  }
}
