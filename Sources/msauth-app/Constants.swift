// The tutorial's constants. msauth's settings override them: MSAUTH_CLIENT_ID, MSAUTH_AUTHORITY,
// MSAUTH_AUTHORITY_TYPE, the configuration file and its profiles.

/// The application (client) ID from the portal.
let kClientID = "Your_Application_Id_Here"
/// The address of Microsoft Graph.
let kGraphEndpoint = "https://graph.microsoft.com/"
/// Personal accounts, and work or school accounts of any organisation.
let kAuthority = "https://login.microsoftonline.com/common"
/// The redirect URI as registered; nil for the authority's usual one, `http://localhost`.
let kRedirectUri: String? = nil
/// Permission to read the profile of the person who signs in.
let kScopes: [String] = ["user.read"]
