import Foundation

// The parts of AppKit that the tutorial's code uses, printed on standard output instead of shown in a window.

/// Prints what a window would show, one line each.
func show(_ what: String, _ text: String) {
  let line = text.split(separator: "\n").joined(separator: " ")
  print("\(what): \(line)")
  fflush(stdout)
}

class NSViewController {
  func viewDidLoad() {}
}

final class NSButton {
  let name: String
  var isEnabled = true {
    didSet { show(name, isEnabled ? "enabled" : "disabled") }
  }

  init(_ name: String) {
    self.name = name
  }
}

final class NSTextView {
  var string = "" {
    didSet { show("log", string) }
  }
}

final class NSTextField {
  var stringValue = "" {
    didSet { show("label", stringValue) }
  }

  func sizeToFit() {}
}

extension ViewController {
  /// The tutorial lays out its window here.
  func initUI() {
    callGraphButton = NSButton("call graph button")
    loggingText = NSTextView()
    signOutButton = NSButton("sign out button")
    usernameLabel = NSTextField()
  }
}
