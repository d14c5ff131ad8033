extension UsageErrorTests {
  /// A command line as typed in a shell, and the error's message and hint; without one, it names the command's help.
  typealias Row = (line: String, message: String, hint: String?)

  static let rows = Array(
    [commands, options, arguments, exclusions, values, urls, registrations, durations, hosts].joined()
  )

  private static let commands: [Row] = [
    ("lgin", "lgin", "login"), ("help stauts", "stauts", "status"), ("whoami", "whoami", "status"),
    ("auth login", "auth", "login"), ("get-token", "get-token", "token"), ("Login", "Login", "login"),
    ("print-access-token", "print-access-token", "token"), ("list", "list", "accounts"),
    ("version", "version", "--version"), ("account list", "account", "accounts --all"),
    ("accounts list", "accounts list", "accounts"), ("options", "options", "help options"),
    ("help options foo", "options", "help options"), ("help nope", "nope", nil), ("nope --help", "nope", nil),
    ("me", "me", "graph me"), ("profile list", "profile", "config profiles"),
    ("config sho", "config sho", "config show"), ("config check", "config check", "config validate"),
    ("config rm store", "config rm", "config unset"),
    ("config use-profile work", "config use-profile", "switch --profile NAME"),
    ("mcp add https://mcp.example", "mcp add", "setup mcp"),
    ("mcp remove https://mcp.example", "mcp remove", "setup mcp --remove"),
    ("setup vscode", "setup vscode", "setup mcp URL --client vscode"), ("setup npm", "setup npm", nil),
    ("setup terraform", "setup terraform", "exec --azure -- terraform"), ("az login", "az", "exec --azure -- az"),
    ("token id", "token id", "token --output id-token"), ("serve stop", "serve stop", "serve --stop"),
    ("rm ada", "rm", "logout"), ("connect", "connect", "login"), ("config init", "config init", "init"),
    ("agent", "agent", "serve --background"),
  ]
  .map { line, command, nearest in (line, "unknown command \"\(command)\"", nearest.map { "did you mean \"\($0)\"?" }) }

  private static let options: [Row] = [
    ("", "no command given; usage: msauth COMMAND [OPTION ...]", nil),
    ("help config foo", "unknown command \"config foo\"", "see msauth config --help"),
    ("-V", #"unknown option "-V""#, "use --version"),
    ("-q status", #"unknown option "-q""#, "options follow the command: msauth status -q"),
    (
      "--profile work token -q", #"unknown option "--profile""#,
      "options follow the command: msauth token -q --profile work"
    ),
    ("--verbose token", #"unknown option "--verbose""#, "use -v"),
    ("init --debug", #"unknown option "--debug""#, nil),
    ("token --bogus", #"unknown option "--bogus""#, nil),
    ("token --scop a", #"unknown option "--scop""#, "did you mean --scope?"),
    ("login --web", #"unknown option "--web""#, "omit it: msauth login opens the browser"),
    ("login --no-launch-browser", #"unknown option "--no-launch-browser""#, "use --no-browser"),
    ("login --device", #"unknown option "--device""#, "use --device-code"),
    ("login -u ada@x.example", #"unknown option "-u""#, "use --account USERNAME"),
    ("login -r https://x", #"unknown option "-r""#, "use --scope URL/.default"),
    ("login -t x.example", #"unknown option "-t""#, "use --tenant TENANT"),
    ("token --resource https://vault.azure.net", #"unknown option "--resource""#, "use --scope URL/.default"),
    ("token --format json", #"unknown option "--format""#, "for JSON, use --json"),
    ("token --refresh", #"unknown option "--refresh""#, "use --force-refresh"),
    ("accounts -o table", #"unknown option "-o""#, "for JSON, use --json"),
    ("status -o tsv", #"unknown option "-o""#, "for JSON, use --json"),
    ("status --username ada@x.example", #"unknown option "--username""#, "use --account USERNAME"),
    ("switch --user ada", #"unknown option "--user""#, "use msauth switch USERNAME"),
    ("switch --account ada", #"unknown option "--account""#, "use msauth switch USERNAME"),
    ("serve --port 8080", #"unknown option "--port""#, "use --listen 127.0.0.1:PORT"),
    ("graph me -X POST", #"unknown option "-X""#, "use --method"),
    ("graph me -f a=b", #"unknown option "-f""#, "use --body JSON"),
    ("graph me -d '{}'", #"unknown option "-d""#, "use --body JSON"),
    ("login -s Mail.Read", #"unknown option "-s""#, "use --scope SCOPE"),
    (
      "login --service-principal", #"unknown option "--service-principal""#,
      "for a service principal, use az login: msauth signs in users only"
    ),
    ("logout -y", #"unknown option "-y""#, "omit it: only logout --from-device prompts, and has --yes"),
    ("logout --browser", "--browser needs a value", "use --from-browser"),
    ("token --output", "--output needs a value", nil),
    (
      "config set --client-id x", #"unknown option "--client-id""#,
      "name the key without hyphens: msauth config set client_id"
    ),
    (
      "config set --client-id x --config f --profile w", #"unknown option "--client-id""#,
      "name the key without hyphens: msauth config set client_id --config f --profile w"
    ),
    (
      "setup mcp https://a/mcp", "missing option --client <program>",
      "add --client claude-code, cursor or vscode"
    ),
    (
      "setup mail ada@x.example", "missing option --client <program>",
      "add --client msmtp, mutt or neomutt"
    ),
    ("mcp login --tenant x https://a/mcp", #"unknown option "--tenant""#, nil),
    ("mcp logout --scope x https://a/mcp", #"unknown option "--scope""#, nil),
    (
      "graph me --interactive", #"unknown option "--interactive""#, "omit it: msauth graph signs in if needed"
    ),
    (
      "init --profile mail --scope Mail.Read", #"unknown option "--scope""#,
      "use msauth config set scopes SCOPE, with the same --profile"
    ),
  ]

  private static let arguments: [Row] = [
    ("login ada@x.example", #"unexpected argument "ada@x.example""#, "use --account ada@x.example"),
    (
      "login contoso.onmicrosoft.com", #"unexpected argument "contoso.onmicrosoft.com""#,
      "use --tenant contoso.onmicrosoft.com, or --scope contoso.onmicrosoft.com if it is a scope"
    ),
    (
      "init contoso.onmicrosoft.com", #"unexpected argument "contoso.onmicrosoft.com""#,
      "use --tenant contoso.onmicrosoft.com"
    ),
    ("init https://id.example", #"unexpected argument "https://id.example""#, "use --issuer https://id.example"),
    ("config show client_id", #"unexpected argument "client_id""#, "run msauth config get client_id"),
    (
      "config show client_id --config f --profile w", #"unexpected argument "client_id""#,
      "run msauth config get client_id --config f --profile w"
    ),
    ("graph me -q .displayName", #"unexpected argument ".displayName""#, pipe),
    ("token User.Read", #"unexpected argument "User.Read""#, "use --scope User.Read"),
    ("status extra", #"unexpected argument "extra""#, nil),
    ("status two extras", #"unexpected arguments "two", "extras""#, nil),
    ("help login --json", #"unknown option "--json""#, "see msauth login --help"),
    ("switch a@x.example b@x.example", #"unexpected argument "b@x.example""#, nil),
    ("graph GET /me", #"unexpected argument "/me""#, "use --method: msauth graph /me --method GET"),
    (
      "exec --fd 3 git push -f", "exec needs a command after --",
      "write -- before the command: msauth exec --fd 3 -- git push -f"
    ),
    ("git-credential setup", #"unknown operation "setup""#, "to set up git, run msauth setup git SERVER"),
    (
      "docker-credential setup x.azurecr.io", #"unknown operation "setup""#,
      "to set up a registry, run msauth setup docker REGISTRY"
    ),
    ("config get stor", #"unknown key "stor""#, #"did you mean "store"?"#),
    ("config set profiles.work x", "profiles.work isn't a key", "use the keys of the profile with --profile work"),
    ("config set profile.w.scopes x", "profile.w.scopes isn't a key", "use scopes with --profile w"),
    ("config unset profiles.work", "profiles.work isn't a key", "run msauth config unset profiles --profile work"),
    ("config set profiles {}", "profiles can't be set as a whole", "set the keys of one profile with --profile NAME"),
    (
      "config set tenant --profile w", "tenant needs a value",
      "to remove it, run msauth config unset tenant --profile w"
    ),
    (
      "config set client_secret x --profile w",
      "client_secret can't be an argument, which every user of this computer can read",
      "run msauth config set client_secret --profile w, and enter it at the prompt or on standard input; "
        + "if others could see this value, replace it"
    ),
    ("config set client_id ''", "client_id is empty", nil),
    ("config set store file --config ''", "--config is empty", nil),
    ("token --client-id c --account ''", "--account is empty", nil),
    ("token --client-id ''", "--client-id is empty", nil),
    ("init --client-id c --issuer '' --yes", "--issuer is empty", nil),
    ("init --client-id c --authority '' --yes", "--authority is empty", nil),
    ("logout ''", "the account is empty", nil),
    (
      "init --client-id c --yes", "--yes needs --tenant or --issuer",
      "run msauth init --client-id c --yes --tenant TENANT, or --issuer URL instead of --tenant"
    ),
    ("logout --browser true", "--browser needs --from-browser", nil),
    ("logout --timeout 5", "--timeout needs --from-browser", nil),
    ("token --proof-for 'GET https://api.example/'", "--proof-for needs --output header or json", nil),
    ("token --output env --proof-for 'GET https://a/'", "--proof-for needs --output header or json", nil),
    ("token --output header --proof-nonce n", "--proof-nonce needs --proof-for", nil),
    (
      "serve --listen 172.17.0.1",
      "--listen 172.17.0.1 needs --resource: other computers may reach that address", nil
    ),
  ]

  private static let exclusions: [Row] = [
    ("login --browser true --no-browser", "--browser can't be combined with --no-browser", nil),
    ("login --via host --paste", "--via can't be combined with --paste", nil),
    ("login --paste --browser true", "--browser can't be combined with --paste", nil),
    ("login --paste --response-mode form_post", "--paste can't be combined with --response-mode form_post", nil),
    ("login --account a --login-hint b", "--account can't be combined with --login-hint", nil),
    (
      "login --client-id c --scope https://vault.azure.net/.default --scope a",
      "the scope https://vault.azure.net/.default can't be combined with others",
      "request it alone, or name the scopes that you need"
    ),
    ("logout --account a --all", "--all can't be combined with --account", nil),
    ("logout a --account b", "--account can't be combined with an argument", nil),
    ("logout a --all", "--all can't be combined with an argument", nil),
    (
      "accounts --tenant t --issuer id.example", "--tenant can't be combined with --issuer",
      "a tenant implies a Microsoft authority; keep only one of them"
    ),
    ("token -q -v", "-q can't be combined with -v", nil),
    ("token --claims '{}' --www-authenticate x", "--claims can't be combined with --www-authenticate", nil),
    ("token --json --output token", "--json can't be combined with --output token", nil),
    ("mcp token --json --output header https://a/mcp", "--json can't be combined with --output header", nil),
    ("mcp login --device-code --prompt login https://a/mcp", "--device-code can't be combined with --prompt", nil),
    ("mcp connect --no-browser --timeout 5 https://a/mcp", "--timeout can't be combined with --no-browser", nil),
    ("doctor --mcp https://a/mcp --tenant https://id.example", "--tenant can't be combined with --mcp", nil),
    ("doctor --mcp https://a/mcp --authority https://id.example", "--authority can't be combined with --mcp", nil),
    (
      "graph --paginate --output f", "--paginate can't be combined with --output",
      "omit --output, and redirect standard output"
    ),
    ("graph --body '{}' --method GET", "--method GET can't be combined with --body", nil),
    ("exec --azure --fd 3 -- true", "--azure can't be combined with --fd", nil),
    ("exec --azure --output header -- true", "--azure can't be combined with --output", nil),
    ("exec --azure --scope x -- true", "--azure can't be combined with --scope", nil),
    remove("git https://a", "--scope api"), remove("git https://a", "--print"),
    remove("docker x.azurecr.io", "--yes"), remove("docker x.azurecr.io", "--print"),
    remove("kubectl c", "--id-token"), remove("kubectl c", "--scope s"),
    remove("mcp https://a/mcp --client cursor", "--session x"),
  ]

  private static func remove(_ target: String, _ option: String) -> Row {
    (
      "setup \(target) \(option) --remove", "--remove can't be combined with \(option.prefix { $0 != " " })",
      "run msauth setup \(target) --remove"
    )
  }

  private static let values: [Row] = [
    ("exec --fd x -- true", #"--fd "x" isn't valid"#, nil),
    (
      "setup mail a@b.example --client mutt --imap imap.example:x",
      #"--imap "imap.example:x" isn't a mail server's HOST or HOST:PORT"#, nil
    ),
    (
      "login --prompt maybe", #"--prompt "maybe" isn't valid"#,
      "choose one of select_account, login, consent, create, none"
    ),
    ("login --response-mode fragment", #"--response-mode "fragment" isn't valid"#, "choose one of query, form_post"),
    (
      "setup mcp https://a/mcp --client emacs", #"--client "emacs" isn't valid"#,
      "choose one of claude-code, cursor, vscode"
    ),
    ("login --browser ''", "--browser contains no program, or an unclosed quote", nil),
    ("login --client-id c --claims {", "claims aren't a JSON object of at most 8192 bytes", nil),
    ("login --client-id c --extra-query noequals", "--extra-query noequals isn't name=value", nil),
    (
      "login --client-id c --extra-query state=1",
      #"extra parameter "state" is rejected: the library generates it for each sign-in"#, nil
    ),
    (
      "login --client-id c --redirect-uri foo", "--redirect-uri foo doesn't begin with http://",
      "use http://localhost, http://127.0.0.1 or http://[::1], with the port and path of the registration"
    ),
    (
      "login --client-id c --scope openid,email", #"--scope "openid,email" has a comma"#,
      "separate scopes by spaces: 'openid email'"
    ),
    (
      "login --client-id c --scope 'Mail.Read, api://x'", #"--scope "Mail.Read, api://x" has a comma"#,
      "separate scopes by spaces: 'Mail.Read api://x'"
    ),
    (
      "config set scopes User.Read,Mail.Read", #"scopes "User.Read,Mail.Read" has a comma"#,
      "separate scopes by spaces: 'User.Read Mail.Read'"
    ),
    ("login --client-id c --scope ' '", "scope is empty", nil),
    ("graph //evil.example", "the path must not be empty or begin with //; --endpoint names the host", nil),
    ("graph -q .displayName", "the path can't begin with a dot", pipe),
    ("graph me --method CONNECT", "--method must be GET, POST, PATCH, PUT or DELETE", nil),
    ("graph me --client-id c --body me.json", "--body: me.json is neither JSON nor an existing file", nil),
    ("graph me --client-id c --body /", "--body: / can't be used: Is a directory", nil),
    ("graph me --client-id c --body /dev/zero", "--body: /dev/zero is larger than 64 MiB", nil),
    ("graph me --client-id c --body {", "--body isn't JSON", nil),
    ("graph me --client-id c --body /dev/null", "--body isn't JSON", nil),
    (
      #"graph me --client-id c --input '{"a":1}'"#, #"--input: {"a":1} doesn't exist"#,
      "for JSON in an argument, use --body"
    ),
    ("config unset timeout --profile w", notProfile, "that file has no profiles"),
    ("config unset profiles --profile w", notProfile, "that file has no profiles"),
  ]

  private static let pipe = "to print a part of the response, pipe it to jq"

  private static let notProfile = #"--profile "w" isn't a profile of ~/.config/msauth/config.json"#

  private static let urls: [Row] = [
    (
      "graph --client-id c --endpoint graph.example", #"--endpoint "graph.example" doesn't start with https://"#,
      "did you mean https://graph.example?"
    ),
    ("graph --client-id c --endpoint http://evil.example", #"--endpoint "http://evil.example" \#(isHTTP)"#, nil),
    ("setup git http://git.example.com", "the server http://git.example.com \(isHTTP)", nil),
    ("setup git ''", "the server is empty", nil),
    ("setup git 'a b'", "the server a b has a character that a URL can't have", nil),
    ("setup git ftp://x", "the server ftp://x doesn't start with https://", nil),
    ("setup git https://dev.azure.com/org/a", "the server must have no path", "did you mean https://dev.azure.com?"),
    (
      "setup git https://org@dev.azure.com/org/a", "the server https://org@dev.azure.com/org/a has a user part (…@)",
      "did you mean https://dev.azure.com?"
    ),
    (
      "setup git git@git.example:org/a.git", "the server git@git.example:org/a.git has a user part (…@)",
      "did you mean https://git.example?"
    ),
    (
      "setup git ssh://git@git.example:22/org/a.git",
      "the server ssh://git@git.example:22/org/a.git doesn't start with https://",
      "did you mean https://git.example?"
    ),
    (
      "setup docker x.azurecr.io/image:tag", "the registry x.azurecr.io/image:tag has a path",
      "did you mean x.azurecr.io?"
    ),
    (
      "setup mcp mcp.example/mcp --client cursor", "the server's URL mcp.example/mcp doesn't start with https://",
      "did you mean https://mcp.example/mcp?"
    ),
    (
      "setup mcp foo --client cursor", "the server's URL foo doesn't start with https://", "did you mean https://foo?"
    ),
    (
      "mcp token localhost:8080/mcp", "the server's URL localhost:8080/mcp doesn't start with https://",
      "did you mean http://localhost:8080/mcp?"
    ),
  ]

  private static let isHTTP = "is http to another machine; only https keeps codes and tokens private"

  private static let registrations: [Row] = [
    (
      "token --client-id 'a b'",
      #"--client-id "a b" can't be used: the client ID is invalid: "#
        + "it must be 1 to 255 visible ASCII characters, without spaces",
      "take the application (client) ID from the app registration"
    ),
    (
      "init --client-id c --tenant t.example --yes", #"--client-id "c" isn't a Microsoft application (client) ID"#,
      "copy it from the Overview page of the app registration; it looks like 11111111-2222-3333-4444-555555555555"
    ),
    (
      "token --client-id c --tenant ada@contoso.example",
      #"--tenant "ada@contoso.example" isn't a tenant's ID or domain"#,
      "name the tenant by its domain alone: contoso.example"
    ),
    (
      "config set issuer ada@contoso.example", #"issuer "ada@contoso.example" isn't an authority's URL"#,
      "name the tenant by its domain alone: contoso.example"
    ),
    ("config set tenant Foo", #"tenant "Foo" isn't a tenant's ID or domain"#, "did you mean foo.onmicrosoft.com?"),
    (
      "init --client-id c --tenant login.microsoftonline.com --yes",
      #"--tenant "login.microsoftonline.com" isn't a tenant's ID or domain"#,
      "name a tenant as in contoso.onmicrosoft.com; common means any account"
    ),
    (
      "init --client-id c --tenant https://entra.microsoft.com/#view --yes",
      #"--authority "https://entra.microsoft.com/#view" isn't an authority's URL"#,
      "copy the directory (tenant) ID from the Overview page of the app registration"
    ),
    (
      "token --client-id c --tenant https://id.example",
      #"--tenant "https://id.example" isn't a tenant's ID or domain"#,
      "this is an issuer, not a tenant; use --authority https://id.example"
    ),
    (
      "config set tenant https://id.example --profile w", #"tenant "https://id.example" isn't a tenant's ID or domain"#,
      "this is an issuer, not a tenant; use msauth config set issuer https://id.example --profile w"
    ),
    (
      "init --client-id c --issuer contoso.onmicrosoft.com --yes",
      #"--issuer "contoso.onmicrosoft.com" isn't an authority's URL"#,
      "this is a tenant, not an issuer; use --tenant contoso.onmicrosoft.com"
    ),
    (
      "config set issuer organizations --profile w", #"issuer "organizations" isn't an authority's URL"#,
      "this is a tenant, not an issuer; use msauth config set tenant organizations --profile w"
    ),
    (
      "init --client-id c --issuer x --yes",
      #"--issuer "x" can't be used: the authority URL doesn't start with https://"#, anAuthority
    ),
    (
      "init --client-id c --tenant ftp://x --yes",
      #"--authority "ftp://x" can't be used: the authority URL doesn't start with https://"#, anAuthority
    ),
    (
      "init --client-id c --issuer http://id.example --yes",
      #"--issuer "http://id.example" can't be used: the authority URL \#(isHTTP)"#, anAuthority
    ),
  ]

  private static let anAuthority =
    "an authority looks like https://login.microsoftonline.com/common or https://accounts.example.com"

  private static let durations: [Row] =
    ["soon", "86401", "1e30", "nan", "25h", "m"].map {
      ("login --timeout \($0)", "--timeout must be more than 0 and at most 1 day\(units) \"\($0)\"", nil)
    }
    + ["0", "-1s", "400d"].map {
      ("serve --for=\($0)", "--for must be more than 0 and at most 366 days\(units) \"\($0)\"", nil)
    }
    + [
      ("doctor --timeout 0", "--timeout must be more than 0 and at most 5 minutes\(units) \"0\"", nil),
      (
        "token --min-validity 9223372036854775807",
        "--min-validity must be at least 0 and at most 366 days\(units) \"9223372036854775807\"", nil
      ),
    ]

  private static let units = ", such as 90s, 5m, 8h or 1d, not"

  private static let hosts: [Row] =
    [
      "=-oProxyCommand=true", " ''", " 'a b'", " ada@-oProxyCommand=true", " ssh://-x", " @host", " 'host;true'",
      " '$(true)'", " 'host\n'",
    ]
    .map {
      ("login --via\($0)", "--via requires an ssh destination, such as USER@HOST or ssh://USER@HOST:PORT", nil)
    }
    + ["0.0.0.0", "::", "[0::0]", "[::]:80", "::ffff:0.0.0.0"].map {
      (listen($0), "--listen \($0) would open the port to every network of this computer", anAddress)
    }
    + ["127.0.0.1:x", "example.com", "", "172.17.0.1/x"].map {
      (listen($0), "--listen \"\($0)\" isn't a numeric ADDRESS or ADDRESS:PORT", anAddress)
    }
    + [
      (
        "serve --listen 0.0.0.0", "--listen 0.0.0.0 would open the port to every network of this computer", anAddress
      )
    ]

  private static func listen(_ address: String) -> String {
    "serve --listen '\(address)' --resource https://vault.azure.net"
  }

  private static let anAddress = "name one address of this computer, such as 127.0.0.1 or 172.17.0.1:8080"
}
