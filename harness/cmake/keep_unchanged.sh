# Files that a build made anew with the same bytes keep their time, so that ninja links nothing that is made of them.
#
# sh keep_unchanged.sh objects FOLDER OBJECT...   copies each object of a library into FOLDER, unless it is there with the
#                                                 same bytes
# sh keep_unchanged.sh before ARCHIVE             keeps an archive while another is made
# sh keep_unchanged.sh after ARCHIVE              takes it back if the other has the same bytes; ARCHIVE.kept, made once,
#                                                 tells ninja to look at the time
set -e
case $1 in
  objects)
    folder=$2
    shift 2
    for object do
      copy=$folder/${object##*.dir/}
      ! cmp -s "$object" "$copy" || continue
      mkdir -p "${copy%/*}"
      cp "$object" "$copy.new"
      mv -f "$copy.new" "$copy"
    done ;;
  before)
    [ ! -e "$2" ] || mv -f "$2" "$2.before" ;;
  after)
    ! cmp -s "$2" "$2.before" || mv -f "$2.before" "$2"
    rm -f "$2.before"
    [ -e "$2.kept" ] || : >"$2.kept" ;;
esac
