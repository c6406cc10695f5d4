#!/bin/sh
# Generated clients lose the files of a request that accepts JSON as well, and confuse operations.
#
# One would guess that a client that is generated from a request body of two media types can send either, and that
# generators refuse operation ids that become one name in TypeScript. Both generators below finish without a warning.
# Seen with orval 8.38.0 and @hey-api/openapi-ts 0.99.0, on one valid OpenAPI 3.1 document:
#
#   orval: FormData 0, JSON.stringify 1; listThings 2
#   hey-api: FormData 0, files 0; listThings 1, listThings2 1
#
# Where "multipart/form-data" stands before "application/json", orval takes an object with files and sends it as JSON,
# where a file is {}, and @hey-api/openapi-ts has no files at all. Of `list_things` and `listThings`, orval exports two
# functions with one name, which doesn't compile, and @hey-api/openapi-ts numbers one of them by its place.
#
# For the service: its document has one media type for each body, JSON is described in words, and a test folds the
# operation ids before it compares them.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts orval@8.38.0 @hey-api/openapi-ts@0.99.0 typescript@5.9.3 >/dev/null
cat >document.json <<'JSON'
{
  "openapi": "3.1.0",
  "info": { "title": "Things", "version": "1" },
  "paths": {
    "/one": { "get": { "operationId": "list_things", "responses": { "204": { "description": "OK" } } } },
    "/two": { "get": { "operationId": "listThings", "responses": { "204": { "description": "OK" } } } },
    "/three": {
      "post": {
        "operationId": "send",
        "requestBody": {
          "required": true,
          "content": {
            "multipart/form-data": {
              "schema": {
                "type": "object",
                "properties": {
                  "title": { "type": "string" },
                  "files": {
                    "type": "array",
                    "items": { "type": "string", "contentMediaType": "application/octet-stream" }
                  }
                }
              }
            },
            "application/json": {
              "schema": { "type": "object", "properties": { "title": { "type": "string" } } }
            }
          }
        },
        "responses": { "204": { "description": "OK" } }
      }
    }
  }
}
JSON
cat >orval.config.mjs <<'JS'
export default { things: { input: "document.json", output: { target: "orval.ts", client: "fetch" } } };
JS
npx orval --config orval.config.mjs >/dev/null
npx openapi-ts --input document.json --output hey --client @hey-api/client-fetch >/dev/null
count() { grep -c -- "$1" "$2" || true; }
orval="orval: FormData $(count FormData orval.ts), JSON.stringify $(count JSON.stringify orval.ts); listThings $(count 'export const listThings =' orval.ts)"
hey="hey-api: FormData $(count formDataBodySerializer hey/sdk.gen.ts), files $(count files hey/types.gen.ts); listThings $(count 'export const listThings =' hey/sdk.gen.ts), listThings2 $(count 'export const listThings2 =' hey/sdk.gen.ts)"
printf '%s\n%s\n' "$orval" "$hey"
[ "$orval" = "orval: FormData 0, JSON.stringify 1; listThings 2" ]
[ "$hey" = "hey-api: FormData 0, files 0; listThings 1, listThings2 1" ]
