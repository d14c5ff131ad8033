// `JSON` and `Remedy` are public in MSAuth's API.
@_exported public import Core
// `Authority`, `Prompt` and `ResponseMode` are too.
@_exported public import OAuth
// `KeyringItem` is.
@_exported public import TokenCache
