// MSAL for macOS brings Foundation along, URLSession included, so that its applications name neither.
@_exported public import Dispatch
@_exported public import Foundation
@_exported public import FoundationNetworking
