#!/bin/sh
# Starts make.py on a machine without Python: sh harness/start.sh [ARGUMENTS OF make.py]
#
# A python3 that make.py accepts is used as it is. Where there is none, the package `python` of packages.json is fetched
# by its hashes and unpacked into build/python: Debian's own Python with its own C library and loader, so that the
# machine's C library does not matter, and a static busybox is enough. spm then does the rest.
set -eu

case $0 in
  */*) root=$(cd -P "${0%/*}/.." && pwd) ;;
  *) root=$(cd -P .. && pwd) ;;
esac
packages=$root/packages.json

fail() { # WHAT HINT
  printf 'start.sh: error: %s\nhint: %s\n' "$1" "$2" >&2
  exit 1
}

has() { command -v "$1" >/dev/null 2>&1; }

# A folder for cached data: the checkout's, else the user's, else one below /var/tmp or /tmp that is this user's own.
cache_folder() {
  if mkdir -p "$root/build/python" 2>/dev/null && [ -w "$root/build/python" ]; then
    printf '%s\n' "$root/build/python"
    return
  fi
  for folder in ${XDG_CACHE_HOME:+"$XDG_CACHE_HOME"} ${HOME:+"$HOME/.cache"} "/var/tmp/spm-$(id -u)" "/tmp/spm-$(id -u)"; do
    if mkdir -p -m 700 "$folder" 2>/dev/null && [ -w "$folder" ] && [ -O "$folder" ]; then
      printf '%s\n' "$folder/spm-python"
      return
    fi
  done
  fail "$found, and no folder in which this user may write: not the checkout, nor a home, /var/tmp or /tmp" \
    "XDG_CACHE_HOME=<a folder of yours> sh harness/start.sh"
}

# One line for each artifact of the package `python`: path, size, sha256.
artifacts() {
  awk -F'"' '/^    "python": \{/ { inside = 1 } /^    \}/ { inside = 0 }
    inside && $2 == "path" { path = $4 }
    inside && $2 == "size" { gsub(/[^0-9]/, "", $3); size = $3 }
    inside && $2 == "sha256" { print path, size, $4 }' "$packages"
}

# What the user's file says for a name (harness/spm/user_file.py).
user_file=${XDG_CONFIG_HOME:-${HOME:-}/.config}/spm/config
from_user_file() { # NAME
  sed -n "s/^[[:blank:]]*$1[[:blank:]]*=[[:blank:]]*//p" "$user_file" 2>/dev/null | sed -n '$s/[[:blank:]]*$//p'
}

# The first entry of apt's that is Debian's own, by its path: a wrong guess costs one attempt.
from_apt() {
  grep -q '^ID="\{0,1\}debian"\{0,1\}$' /etc/os-release 2>/dev/null || return 0
  cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null |
    sed -n -e 's/^deb \(\[[^]]*\] *\)\{0,1\}\([a-z]*:\/\/[^ ]*\/debian\)\/\{0,1\} .*/\2/p' \
      -e 's/^URIs: *\([a-z]*:\/\/[^ ]*\/debian\)\/\{0,1\} *$/\1/p' | sed -n 1p
}

# Asks for the mirror once and keeps the answer; where it cannot be kept, it serves this call.
asked() {
  [ -t 0 ] && [ -t 2 ] || return 0
  printf 'The address of a Debian mirror, the part before /pool: ' >&2
  read -r answer || return 0
  [ -n "$answer" ] || return 0
  if { mkdir -p "${user_file%/*}" && printf 'debian-mirror = %s\n' "$answer" >> "$user_file"; } 2>/dev/null; then
    printf 'kept in %s\n' "$user_file" >&2
  fi
  printf '%s\n' "$answer"
}

download() { # ADDRESS FILE
  case $1 in
    file://*) cp "${1#file://}" "$2" ;;
    http://* | https://*)
      if has curl; then curl -fsSL --retry 3 -o "$2" "$1"; else wget -q -O "$2" "$1"; fi ;;
    *) cp "$1" "$2" ;;
  esac
}

# Fetches an artifact from SPM_MIRROR, where it lies under its hash, or from the Debian mirror.
fetch() { # PATH SIZE SHA256 FILE
  tried='no address'
  by_hash=
  case ${SPM_MIRROR-} in
    '' | s3:*) ;;
    *) by_hash=${SPM_MIRROR#last:}/$(printf %.2s "$3")/$3 ;;
  esac
  for address in $by_hash ${mirror:+"$mirror/$1"}; do
    if ! complaint=$(download "$address" "$4" 2>&1); then
      tried="'$address' cannot be fetched: $(printf '%s' "$complaint" | sed -n '$p')"
    elif [ "$(sha256sum "$4" | cut -c 1-64)" != "$3" ]; then
      tried="$(wc -c < "$4") bytes with another hash at '$address'"
    else
      return 0
    fi
  done
  fail "expected $2 bytes with sha256 $3, found $tried" \
    "SPM_DEBIAN_MIRROR=<another mirror's address, the part before /pool> sh harness/start.sh"
}

# Unpacks the member data.tar.xz of a Debian package. An ar archive has a line of 8 bytes and, before each member, a
# header of 60 bytes with the member's size in decimal; members begin at even offsets.
unpack() { # DEB FOLDER
  offset=8
  while :; do
    header=$(tail -c +$((offset + 1)) "$1" | head -c 60)
    size=$(printf %s "$header" | cut -c 49-58 | tr -dc 0-9)
    [ -n "$size" ] || fail "expected the member data.tar.xz in '$1', found none" "remove '$1' and start again"
    case $header in
      data.tar.xz*) break ;;
    esac
    offset=$((offset + 60 + size + size % 2))
  done
  tail -c +$((offset + 61)) "$1" | head -c "$size" | xz -dc | tar -x -f - -C "$2"
}

# Fetches and unpacks into a fresh folder, which gets its name when it is complete.
install() { # PLACE
  mirror=${SPM_DEBIAN_MIRROR:-$(from_user_file debian-mirror)}
  mirror=${mirror:-$(from_apt)}
  if [ -z "$mirror" ] && [ -z "${SPM_MIRROR-}" ]; then
    mirror=$(asked)
    [ -n "$mirror" ] || fail "$found, and no Debian mirror is known from which to fetch one" \
      "write 'debian-mirror = <its address, the part before /pool>' into $user_file, or set SPM_DEBIAN_MIRROR"
    export SPM_DEBIAN_MIRROR="$mirror"
  fi
  mirror=${mirror%/}
  fresh=$1.$$
  trap 'rm -rf "$fresh"' EXIT
  trap 'exit 130' INT TERM HUP
  mkdir -p "$fresh/tree"
  artifacts | awk '{ bytes += $2 } END { printf "fetching Python: %d packages, %.0f MB\n", NR, bytes / 1e6 }' >&2
  artifacts > "$fresh/artifacts"
  while read -r path size sha256; do
    fetch "$path" "$size" "$sha256" "$fresh/deb"
    unpack "$fresh/deb" "$fresh/tree"
  done < "$fresh/artifacts"
  rm -f "$fresh/deb"
  ln -sn "${fresh##*/}/tree" "$1" 2>/dev/null || return 0 # another start was faster
  trap - EXIT
}

# The command `python3`: a script, so that Python finds its library beside it and children start the same way.
write_command() { # TREE
  text="#!/bin/sh
# Generated by harness/start.sh.
tree='$(printf '%s\n' "$1" | sed "s/'/'\\\\''/g")'
libc=\$tree/usr/x86_64-linux-gnu/lib
exec \"\$libc/ld-linux-x86-64.so.2\" --inhibit-cache \\
  --library-path \"\$libc:\$tree/lib/x86_64-linux-gnu:\$tree/usr/lib/x86_64-linux-gnu\" \\
  --argv0 \"\$tree/usr/bin/python3\" \"\$tree/usr/bin/python3.11\" \"\$@\""
  [ "$(cat "$1/usr/bin/python3" 2>/dev/null)" != "$text" ] || return 0
  printf '%s\n' "$text" > "$1/usr/bin/python3.$$"
  chmod 755 "$1/usr/bin/python3.$$"
  mv -f "$1/usr/bin/python3.$$" "$1/usr/bin/python3"
}

[ -x /bin/sh ] || fail "expected /bin/sh, with which programs start others, found none" "busybox --install -s /bin"
for tool in sed sha256sum; do
  has $tool || fail "expected the program $tool, found none" "install Python and start python3 make.py, or install busybox"
done

# Hints name the command by which it was called.
LAB_STARTER=$0
export LAB_STARTER

accepted=$(sed -n 's/^if sys.version_info < (\(.*\)):$/\1/p' "$root/make.py")
if python3 -c "import sys, bz2, ctypes, hashlib, lzma, ssl, zlib; sys.exit(sys.version_info < ($accepted))" 2>/dev/null; then
  exec python3 "$root/make.py" "$@"
fi

found="there is no Python $(printf %s "$accepted" | sed 's/, /./') or newer"
[ "$(uname -s) $(uname -m)" = 'Linux x86_64' ] ||
  fail "$found, and one is pinned only for x86_64 Linux; this is $(uname -m) $(uname -s)" \
    "install Python, then: python3 make.py"
for tool in awk cat chmod cut head id ln mkdir mv rm tail tar tr uname wc xz; do
  has $tool || fail "$found, and $tool, which fetching one needs, is missing" "install Python, or busybox"
done
has curl || has wget || fail "$found, and neither wget nor curl to fetch one" "install Python, or busybox"

folder=$(cache_folder)
place=$folder/$(artifacts | sha256sum | cut -c 1-16)
[ -e "$place" ] || install "$place"
tree=$(cd -P "$place" && pwd)
write_command "$tree"
# The harness starts `python3`, too.
PATH=$tree/usr/bin:$PATH
export PATH
exec "$tree/usr/bin/python3" "$root/make.py" "$@"
