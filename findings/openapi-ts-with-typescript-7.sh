#!/bin/sh
# @hey-api/openapi-ts, installed by npm alone, doesn't start.
#
# One would guess that a generator runs with every TypeScript that its peer dependency allows. npm installs the newest
# one that fits ">=5.5.3 || >=6.0.0", which is 7; it has no JavaScript API, with which the generator writes its output.
# Seen with @hey-api/openapi-ts 0.99.0:
#
#   typescript 7.0.2: TypeError: Cannot read properties of undefined (reading 'AnyKeyword')
#   typescript 5.9.3: 0.99.0
#
# For the service: its guide for programs names the TypeScript to install beside the generator.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
for version in 7.0.2 5.9.3; do
  npm install --silent --no-audit --no-fund --ignore-scripts @hey-api/openapi-ts@0.99.0 "typescript@$version" >/dev/null
  npx openapi-ts --version >output 2>&1 || true
  said=$(grep -o -m 1 -e "TypeError: .*" -e "0\.99\.0" output | head -n 1)
  printf 'typescript %s: %s\n' "$version" "$said"
  case "$version $said" in
    "7.0.2 TypeError: Cannot read properties of undefined (reading 'AnyKeyword')" | "5.9.3 0.99.0") ;;
    *) exit 1 ;;
  esac
done
