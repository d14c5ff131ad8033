public import Foundation

/// How a sign-in is shown: on Linux always in the system's browser, so that most of it has no effect.
public final class MSALWebviewParameters: NSObject, NSCopying {
  /// Where to show it on Apple's systems; no effect on Linux.
  public var webviewType: MSALWebviewType = .default
  /// Whether to ask for a private browser session; no effect on Linux, where the browser's own settings hold.
  public var prefersEphemeralWebBrowserSession = false
  /// The window to show it over on Apple's systems; no effect on Linux.
  public weak var parentViewController: AnyObject?

  /// Makes parameters with the defaults.
  public override init() {
    super.init()
  }

  /// Makes parameters for a window, which is Apple's way; the same as no window on Linux.
  ///
  /// - Parameter authPresentationViewController: The window's controller; not kept alive.
  public init(authPresentationViewController: AnyObject) {
    self.parentViewController = authPresentationViewController
    super.init()
  }

  /// Returns a copy.
  ///
  /// - Parameter zone: Ignored, as everywhere.
  /// - Returns: The copy.
  public func copy(with zone: NSZone? = nil) -> Any { copied() }

  func copied() -> MSALWebviewParameters {
    let copy = MSALWebviewParameters()
    copy.webviewType = webviewType
    copy.prefersEphemeralWebBrowserSession = prefersEphemeralWebBrowserSession
    copy.parentViewController = parentViewController
    return copy
  }
}
