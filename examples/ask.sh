# How the examples talk to the service: curl and the tools of every shell. Sourced, not run.
#
# BASE is where the service answers. HEED_DATA_DIR is its data folder, where it leaves its mails as files when no mail
# server is set. A script stops with 1 at the first answer that is not the expected one.
set -eu

BASE=${BASE:-http://localhost:3000}
OUTBOX=${HEED_DATA_DIR:-./data}/outbox
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

heading() { printf '\n%s\n' "$1"; }
say() { printf '  %s\n' "$1"; }
stop() {
  printf '  STOPPED: %s\n' "$1" >&2
  exit 1
}

# ask STATUS WHO METHOD PATH [JSON or options of curl]: one request, with the cookies of that person ("nobody" has none).
# The answer is in $work/body afterwards; any other status than the expected one ends the walk.
ask() {
  expected=$1 who=$2 method=$3 path=$4
  shift 4
  case ${1-} in
    '{'*)
      json=$1
      shift
      set -- "$@" --header 'Content-Type: application/json' --data "$json"
      ;;
  esac
  if [ "$who" != nobody ]; then set -- --cookie "$work/$who" --cookie-jar "$work/$who" "$@"; fi
  : >"$work/body"
  status=$(curl --silent --show-error --max-time 60 --output "$work/body" --dump-header "$work/head" \
    --write-out '%{http_code}' --request "$method" "$@" "$BASE$path") || stop "$method $path could not be sent to $BASE."
  [ "$status" = "$expected" ] || stop "$method $path answered $status instead of $expected: $(head -c 600 "$work/body")"
}

# first NAME: the first text of that name in the answer.
first() { grep -o "\"$1\":\"[^\"]*\"" "$work/body" | head -n 1 | sed 's/^"[^"]*":"//; s/"$//'; }
# holds TEXT: the answer has to contain it.
holds() { grep -qF -e "$1" "$work/body" || stop "the answer should hold $1: $(head -c 600 "$work/body")"; }
# lacks TEXT: the answer must not contain it.
lacks() { if grep -qF -e "$1" "$work/body"; then stop "the answer should not hold $1."; fi; }

# token_in FILE: the token of the link to a new password in a mail, or nothing. Lines of a mail are broken with "=" at
# their end, and "=" itself is written "=3D".
token_in() {
  tr -d '\r' <"$1" | sed -e ':again' -e '/=$/{N;s/=\n//;b again' -e '}' | sed 's/=3D/=/g' |
    sed -n 's/.*reset-password?token=\([A-Za-z0-9_-]*\).*/\1/p' | head -n 1
}

# register WHO NAME: an account, then a session. The id of the new user is in $user.
register() {
  ask 201 nobody POST /api/auth/register "{\"email\":\"$1@example.org\",\"password\":\"$(password "$1")\",\"name\":\"$2\"}"
  user=$(first id)
  sign_in "$1" "$(password "$1")"
}
sign_in() { ask 200 "$1" POST /api/auth/login "{\"email\":\"$1@example.org\",\"password\":\"$2\"}"; }
password() { echo "$1 walks along the river"; }
