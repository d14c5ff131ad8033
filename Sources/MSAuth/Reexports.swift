// `JSON` is public in MSAuth's API.
@_exported public import Core
