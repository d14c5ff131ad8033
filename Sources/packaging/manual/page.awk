# Completes a page of swift-argument-parser's generate-manual. Variables: name and command, such as msauth-mcp-list and
# "msauth mcp list"; version; related, pages for SEE ALSO, one per line; insert, a file to put before EXIT STATUS.

function literal(line) {
  gsub(/\\/, "\\e", line)
  gsub(/-/, "\\-", line)
  sub(/^[.']/, "\\\\\\&&", line)
  return line
}
function heading(title) { printf ".Sh %s\n", title }

# --help has its examples in the description.
/^EXAMPLES$/ { in_examples = 1; next }
in_examples && /^\./ { in_examples = 0 }
in_examples {
  sub(/^  /, "")
  examples = examples literal($0) "\n"
  next
}

/^\.Os$/ { print ".Os", version; next }
/^\.Dt / { print ".Dt", toupper(name), 1; next }
/^\.Sh / { section = $2 }
section == "NAME" && /^\.Nm / { print ".Nm", name; next }
section == "NAME" && /^\.Nd / { gsub(/^\.Nd "|\.?"$/, ""); print ".Nd", $0; next }
section == "SYNOPSIS" && /^\.Nm$/ && command != name { printf ".Nm \"%s\"\n", command; next }

# A paragraph begins at an empty line, unless a macro follows.
/^$/ { empty = 1; next }
empty && !/^\./ { print ".Pp" }
{ empty = 0 }

# msauth(1) has the exit codes for all of its commands.
{ sub(/ Exit codes: 0 .*/, "") }
/^\.Sh "EXIT STATUS"/ {
  while ((getline line < insert) > 0) print line
  if (name == "msauth") next
}
/^\.Ex -std/ {
  if (command ~ /^msauth /) print "Those of\n.Xr msauth 1 ."
  else if (name != "msauth") print ".Ex -std", name
  next
}
/^\.Sh "SEE ALSO"/ { exit }
{ print }

END {
  if (examples != "") {
    heading("EXAMPLES")
    printf ".Bd -literal -offset indent\n%s.Ed\n", examples
  }
  heading("\"SEE ALSO\"")
  count = split(related, pages, "\n")
  for (i = 1; i <= count; i++) print ".Xr", pages[i] (i < count ? " ," : "")
}
