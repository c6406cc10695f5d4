#!/bin/sh
# file-type takes plain text for pictures, films, sounds and programs.
#
# One would guess that text, which has no signature, has no type for file-type: its documentation says that text formats
# are out of its scope. But the signatures of many formats are letters, and file-type looks no further. A note that
# begins with "BMW" is a picture, and one with "free" or "wide" at its fifth letter, where the first box of a QuickTime file has
# its type, is a film. Seen with file-type 22.3.0:
#
#   "The free drinks": video/quicktime
#   "BMW, grey": image/bmp
#   "GIFs of me": image/gif
#   "FORMAL COMPLAINT": audio/aiff
#   "The wide hall": video/quicktime
#   "MZ was there": application/x-msdownload
#
# For the service: notes were stored as films, or refused. It decides first, over the whole file, whether it is text.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund file-type@22.3.0 >/dev/null
cat >check.mjs <<'JS'
import { fileTypeFromBuffer } from "file-type";

const expected = {
  "The free drinks": "video/quicktime",
  "BMW, grey": "image/bmp",
  "GIFs of me": "image/gif",
  "FORMAL COMPLAINT": "audio/aiff",
  "The wide hall": "video/quicktime",
  "MZ was there": "application/x-msdownload",
};
for (const [text, type] of Object.entries(expected)) {
  const found = (await fileTypeFromBuffer(Buffer.from(text)))?.mime;
  console.log(`${JSON.stringify(text)}: ${found}`);
  if (found !== type) process.exitCode = 1;
}
JS
node check.mjs
