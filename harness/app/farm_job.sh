#!/bin/sh
# usage: farm_job NIGHT HASH BUDGET DIR
# One session on one node of a farm: `farm submit` hands this to Slurm, one job a node. It needs a POSIX shell, coreutils,
# flock, find and grep; no Python, git, compiler or network. The bundle with this SHA-256 lies in DIR/jobs/bundles. BUDGET may
# be "". DIR is the results folder; the job starts, measures and ends also while DIR is gone.
#
# What is on the node, in ${LAB_SCRATCH:-/var/tmp}/lab-<user>-<node>, and outlives the job:
#   lock                     held by the job and by all that it starts
#   bundles/<hash>/          unpacked; the newest two
#   farm-<hash of DIR>/      results/, as `run` writes them, and jobs/<night>/<job>.*:
#     .json                  what `farm status` reads, copied to DIR/jobs/<night>/<node>.json (formats.md, "A farm's job")
#     .began .ended          a start that finds .ended, or a whole session since .began, measures nothing again
#     .out                   the log, copied to DIR/jobs/<night>/<node>.out
set -u
umask 022
night=$1 hash=$2 budget=$3 farm=$4
node=$SLURMD_NODENAME job=$SLURM_JOB_ID
place=${LAB_SCRATCH:-/var/tmp}/lab-$(id -un)-$node
own=$place/farm-$(printf %s "$farm" | sha256sum | cut -c1-8)
kept=$own/jobs/$night
phase=start status=null machine=null session=null delivered=false ended=null said="" times=""
child="" stopped=""

now() { date -u +%Y-%m-%dT%H:%M:%SZ; }

# put FOLDER NAME: standard input becomes this file, whole or not at all
put() {
  [ -d "$1" ] && cat >"$1/.$2.$job" && mv -f "$1/.$2.$job" "$1/$2" && return
  rm -f "$1/.$2.$job"
  return 1
}

# note [PHASE]: writes the job's file, on the node and in DIR. A failure is no reason to stop.
note() {
  [ -z "${1:-}" ] || { phase=$1 times="$times${times:+,}\"$1\":\"$(now)\""; }
  line="{\"job\":$job,\"restarts\":${SLURM_RESTART_COUNT:-0},\"night\":\"$night\",\"node\":\"$node\",\"phase\":\"$phase\""
  line="$line,\"status\":$status,\"machine\":$machine,\"session\":$session,\"delivered\":$delivered"
  line="$line,\"said\":\"$said\",\"times\":{$times},\"ended\":$ended}"
  printf '%s\n' "$line" | put "$kept" "$job.json"
  # It was made by `farm submit`. Where it is missing, DIR is gone, and perhaps an empty folder to mount it on is left.
  printf '%s\n' "$line" | put "$farm/jobs/$night" "$node.json"
} 2>/dev/null

# end STATUS: the last words
end() {
  ended="\"$(now)\""
  note
  tail -c 100000 "$kept/$job.out" 2>/dev/null | put "$farm/jobs/$night" "$node.out" 2>/dev/null
  exit "$1"
}

# fail SENTENCE: the job ends in this phase; anything may be in the sentence
fail() {
  echo "farm_job: error: $1" >&2
  said=$(printf %s "$1" | tr -cd '[:print:]' | tr -d '\\"' | cut -c1-200)
  end 1
}

# The last error in the log.
last_error() { grep -a 'error' "$kept/$job.out" 2>/dev/null | tail -n 1; }

# await: waits for $child, through signals; sets $result
await() {
  result=""
  signalled=yes
  while [ -n "$signalled" ]; do
    signalled=""
    wait "$child"
    code=$?
    # 127: it had ended before the signal came, and its status is known.
    [ -n "$result" ] && [ "$code" = 127 ] || result=$code
  done
  child=""
}

# remove FOLDER: also one that is read-only
remove() { chmod -R u+w "$1" 2>/dev/null; rm -rf "$1"; }

# Slurm's time limit comes near, or `farm cancel`: what runs ends with what it has. Only the first time: a second signal
# would kill a session. A session that is measured is still delivered.
stop() {
  signalled=yes
  [ -z "$stopped" ] && [ -n "$child" ] && kill -TERM "$child" 2>/dev/null
  stopped=yes
}
trap stop TERM

# in_lab ARGUMENT...: becomes the harness, with nothing of the environment in which the job was submitted
in_lab() {
  exec env -i PATH=/usr/local/bin:/usr/bin:/bin HOME="${HOME:-/}" TMPDIR="${TMPDIR:-/tmp}" LAB_MACHINE="$node" \
    LAB_RESULTS="$own/results" SLURMD_NODENAME="$node" "$bundle/lab" "$@"
}

# --- the place, and this node's lock ---------------------------------------------------------------------------------

mkdir -p "$place/bundles" "$own/results" "$kept" || fail "expected a folder for the node's results, found none: '$place'"
# Others may write in /var/tmp.
[ "$(stat -L -c %u "$place")" = "$(id -u)" ] || fail "expected a folder of this user, found one of another: '$place'"
exec >>"$kept/$job.out" 2>&1
exec 9>>"$place/lock" || fail "expected a lock file that can be opened: '$place/lock'"
# Slurm starts a job again where only its slurmd died, while the old one still measures: that one ends first.
flock 9 &
child=$!
await
[ "$result" = 0 ] || fail "stopped while another session measured on this node"
# What that one did with this job.
whole() { grep -qE '^ *"session": ?\{.*"state": ?"(complete|out of time)"' "$1"; }
if [ -f "$kept/$job.ended" ]; then
  read -r status path <"$kept/$job.ended"
elif [ -f "$kept/$job.began" ]; then
  path=""
  for file in "$own/results"/*/*.json; do
    [ "$file" -nt "$kept/$job.began" ] && whole "$file" && path=$file
  done
else
  path=""
fi
measured=""
[ ! -f "$kept/$job.ended" ] && [ -z "$path" ] || measured=yes
echo "$(now) job $job on $node, restart ${SLURM_RESTART_COUNT:-0}${measured:+, already measured}"

# --- the bundle ------------------------------------------------------------------------------------------------------

bundle=$place/bundles/$hash
# A kill leaves parts of a copy or of an unpacked bundle.
for each in "$place/bundles"/* "$place/bundles"/.[!.]*; do
  expr "${each##*/}" : '[0-9a-f]\{64\}$' >/dev/null || remove "$each"
done

unpack() {
  packed=$place/bundles/.packed
  note fetch
  cp "$farm/jobs/bundles/$hash" "$packed" &
  child=$!
  await
  [ "$result" = 0 ] || { rm -f "$packed"; fail "${stopped:+stopped, }the bundle was not copied to the node: $(last_error)"; }
  [ "$(sha256sum <"$packed" | cut -c1-64)" = "$hash" ] ||
    { rm -f "$packed"; fail "expected the bundle that was submitted, found another content: '$farm/jobs/bundles/$hash'"; }
  chmod +x "$packed"
  note unpack
  "$packed" unpack "$bundle" &
  child=$!
  await
  rm -f "$packed"
  [ "$result" = 0 ] || fail "${stopped:+stopped, }unpacking the bundle ended with status $result: $(last_error)"
}

verify() {
  in_lab verify &
  child=$!
  await
  return "$result"
}

[ -d "$bundle" ] || unpack
if [ -z "$measured" ]; then
  note verify
  if ! verify; then
    [ -z "$stopped" ] || fail "stopped while the bundle was verified"
    echo "farm_job: the unpacked bundle is damaged and unpacked anew" >&2
    remove "$bundle"
    unpack
    verify || fail "the bundle does not verify: $(last_error)"
  fi
fi
touch "$bundle"
# Under this node's lock nobody uses the others.
ls -1t "$place/bundles" | tail -n +3 | while read -r old; do remove "${place:?}/bundles/$old"; done

# --- the session -----------------------------------------------------------------------------------------------------

if [ -z "$measured" ]; then
  [ -z "$stopped" ] || fail "stopped before the session"
  note run
  : >"$kept/$job.began"
  in_lab run --until-signal ${budget:+--budget "$budget"} >"$kept/$job.path" &
  child=$!
  # The signal may have come before the child was known.
  [ -z "$stopped" ] || kill -TERM "$child"
  await
  status=$result
  path=$(tail -n 1 "$kept/$job.path")
  [ -f "$path" ] || path=""
  printf '%s %s\n' "$status" "$path" >"$kept/$job.ended.new" && mv "$kept/$job.ended.new" "$kept/$job.ended"
fi
if [ -n "$path" ]; then
  session="\"$(printf %s "${path##*/}" | tr -cd 'A-Za-z0-9._-')\""
  folder=${path%/*}
  machine="\"$(printf %s "${folder##*/}" | tr -cd 'A-Za-z0-9._-')\""
else
  said=$(last_error | tr -cd '[:print:]' | tr -d '\\"' | cut -c1-200)
fi

# --- the delivery, also of what earlier jobs could not deliver -------------------------------------------------------

note deliver
if [ -d "$farm/jobs" ] && (in_lab deliver --to "$farm"); then
  delivered=true
  for old in "$own/jobs"/*/*.json; do
    [ "$old" != "$kept/$job.json" ] && grep -q '"session":"' "$old" || continue
    folder=${old%/*}
    sed 's/"delivered":false/"delivered":true/' "$old" | put "$folder" "${old##*/}"
    # A later job of the same night may have written there.
    there=$farm/jobs/${folder##*/}/$node.json
    own_job=${old##*/}
    [ ! -f "$there" ] || grep -q "^{\"job\":${own_job%.json}," "$there" || continue
    cmp -s "$old" "$there" || put "${there%/*}" "$node.json" <"$old"
  done
  find "$own/jobs" -type f -mtime +30 -exec rm -f {} +
else
  said="not delivered: $(last_error | tr -cd '[:print:]' | tr -d '\\"' | cut -c1-180)"
  [ -d "$farm/jobs" ] || said="not delivered: the results folder is gone"
  phase=deliver
  # 75 alone says so where DIR cannot be written.
  end 75
fi
note "done"
# A session of which only the file is known ended well.
[ "$status" != null ] && end "$status"
end 0
