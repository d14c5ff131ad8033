// `JSON`, `Hint`, `FailureCode` and `FailureReason` are public in MSAuth's API.
@_exported public import Core
// `Authority`, `Prompt`, `ResponseMode` and `ProviderError` are too.
@_exported public import OAuth
// `KeyringItem` is.
@_exported public import TokenCache
