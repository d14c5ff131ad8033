import Foundation

// Presses the tutorial's buttons that standard input names. The main thread runs its queue in a RunLoop, as
// NSApplicationMain does on macOS, since the completion blocks run there.

let controller = ViewController()

func press(_ button: String) {
  switch button {
  case "start": controller.viewDidLoad()
  case "call graph": controller.callGraphAPI(controller.callGraphButton)
  case "sign out": controller.signOut(controller.signOutButton)
  case "device": controller.getDeviceMode(controller.callGraphButton)
  default: show("error", "there is no button \(button)")
  }
}

Thread.detachNewThread {
  while let line = readLine() {
    DispatchQueue.main.async { press(line) }
  }
  exit(0)
}
RunLoop.main.run()
