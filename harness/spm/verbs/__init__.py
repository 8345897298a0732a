"""One module per verb, named in options.VERBS; each has run(command, settings) -> exit status."""
