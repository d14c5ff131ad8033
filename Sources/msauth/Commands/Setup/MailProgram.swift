enum MailProgram: String, ChoiceArgument {
  case msmtp, mutt, neomutt
}
