import Core

/// FlyingFox has a type of that name too; in this room the house's own is meant.
typealias JSONValue = Core.JSONValue
