# sh keep_link_command.sh COMMAND...: writes the command, one argument a line, into <the file after -o>.link, and runs
# it. The harness links other layouts of the executable with it (harness/measure/code_layouts.h).
previous=
for argument do
  [ "$previous" != -o ] || output=$argument
  previous=$argument
done
printf '%s\n' "$@" > "$output.link" && exec "$@"
