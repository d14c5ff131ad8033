# Completes a page of swift-argument-parser's generate-manual. Variables: name and command, such as msauth-mcp-list and
# "msauth mcp list"; version; related, pages for SEE ALSO, one per line; insert, a file to put before EXIT STATUS.

function literal(line) {
  gsub(/\\/, "\\e", line)
  gsub(/-/, "\\-", line)
  sub(/^[.']/, "\\\\\\&&", line)
  return line
}
function heading(title) { printf ".Sh %s\n", title }
# Arguments come before the options, as in --help.
function put(line) {
  if (in_option) options = options line "\n"
  else print line
}

# --help has its examples in the description, and indents what must keep its lines.
/^EXAMPLES$/ { in_examples = 1; next }
in_examples && /^[^ ]/ { in_examples = 0; empty = !/^\./ }
in_examples {
  if ($0 != "") examples = examples literal(substr($0, 3)) "\n"
  next
}
/^  / {
  if (!in_block++) print ".Bd -literal -offset 2n"
  print literal(substr($0, 3))
  next
}
in_block { print ".Ed"; in_block = 0 }
/^[A-Z][A-Z ]+$/ { print ".Ss", substr($0, 1, 1) tolower(substr($0, 2)); next }

/^\.Os$/ { print ".Os", version; next }
/^\.Dt / { print ".Dt", toupper(name), 1; next }
/^\.Sh / {
  printf "%s", operands
  operands = ""
  section = $2
}
# An alias has no page.
section == "NAME" && /^\.Nm / { if (!named++) print ".Nm", name; next }
section == "NAME" && /^\.Nd / {
  gsub(/^\.Nd "|\.?"$/, "")
  print ".Nd", (name == "msauth" ? $0 : tolower(substr($0, 1, 1)) substr($0, 2))
  next
}
# Operands follow the options.
section == "SYNOPSIS" && /^\.O[oc]$/ {
  operands = operands $0 "\n"
  next
}
section == "SYNOPSIS" && /^\.(Op )?Ar / {
  operand = $0
  if (operand == ".Ar subcommand") operand = ".Ar command\n.Op Ar option ..."
  # Only the demo runs without a program.
  if (operand == ".Op Ar command...") operand = (name ~ /-demo-/ ? ".Op Fl" : ".Fl") " - Ar command ..."
  operands = operands operand "\n"
  next
}
section == "DESCRIPTION" && /^\.Bl -tag / {
  heading("OPTIONS")
  section = "OPTIONS"
}
section == "OPTIONS" && /^\.It / { in_option = !/^\.It Ar / }
section == "OPTIONS" && /^\.El$/ { in_option = 0; printf "%s", options }
section == "SYNOPSIS" && /^\.Nm$/ && command != name { printf ".Nm \"%s\"\n", command; next }

# SEE ALSO has them.
/^Manual pages: / { next }
# A paragraph begins at an empty line, unless a macro follows.
/^$/ { empty = 1; next }
empty && !/^\./ { put(".Pp") }
{ empty = 0 }

# msauth(1) has the exit statuses for all of its commands; an inserted section replaces the generated one.
{ sub(/ Exit status: 0 .*/, "") }
/^\.Sh "EXIT STATUS"/ {
  while ((getline line < insert) > 0) {
    if (line == $0) has_statuses = 1
    print line
  }
  if (has_statuses) next
}
/^\.Ex -std/ {
  if (has_statuses) next
  if (command ~ /^msauth /) print "Those of\n.Xr msauth 1 ."
  else print ".Ex -std", name
  next
}
/^\.Sh "SEE ALSO"/ { exit }
{ put($0) }

END {
  # msauth(1) has its own.
  if (examples != "" && name != "msauth") {
    heading("EXAMPLES")
    printf ".Bd -literal\n%s.Ed\n", examples
  }
  heading("\"SEE ALSO\"")
  count = split(related, pages, "\n")
  for (i = 1; i <= count; i++) print ".Xr", pages[i] (i < count ? " ," : "")
}
