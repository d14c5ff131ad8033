public import Foundation

/// How a sign-in is shown: on Linux always in the system's browser, so most properties have no effect.
public final class MSALWebviewParameters: NSObject, NSCopying {
  /// Where to show it on Apple's systems; no effect on Linux.
  public var webviewType: MSALWebviewType = .default
  /// Whether to ask for a private browser session; no effect on Linux, where the browser's settings apply.
  public var prefersEphemeralWebBrowserSession = false
  /// The window to show it over on Apple's systems; no effect on Linux.
  public weak var parentViewController: AnyObject?

  /// UIKit's names, so that the compiler can suggest what to use instead.
  public enum PresentationStyle {
    case automatic, currentContext, custom, formSheet, fullScreen, none, overCurrentContext, overFullScreen, pageSheet
    case popover
  }

  /// How a web view covers the window on iOS.
  @available(*, unavailable, message: "the browser opens a window itself; remove the line")
  public var presentationStyle: PresentationStyle {
    get { .automatic }
    set {}
  }

  /// A web view of the application.
  @available(*, unavailable, message: "the sign-in is in the system's browser; remove the line")
  public var customWebview: Any? {
    get { nil }
    set {}
  }

  /// Makes parameters with the defaults.
  public override init() {
    super.init()
  }

  /// Makes parameters for a window, which is Apple's way; ignored on Linux.
  ///
  /// - Parameter authPresentationViewController: The window's controller; not kept alive.
  public init(authPresentationViewController: AnyObject) {
    self.parentViewController = authPresentationViewController
    super.init()
  }

  /// Returns a copy.
  ///
  /// - Parameter zone: Ignored.
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
