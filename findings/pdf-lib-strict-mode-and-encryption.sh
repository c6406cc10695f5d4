#!/bin/sh
# @cantoo/pdf-lib 2.11.1: with throwOnInvalidObject, a valid encrypted PDF with object streams can't be opened, even
# with its password.
#
# One would guess: throwOnInvalidObject refuses broken files; a valid one with the right password opens either way.
# What happens: load() parses the file once without the password, only to find the encryption dictionary. In that pass
# the object streams are still encrypted, so they don't inflate, and the strict mode throws before the password is used.
# Without object streams, or without the strict mode, the same document opens.
# For the service: encrypted documents are opened in the lenient mode, and broken objects that the document reaches are
# looked for afterwards (lib/files/cleaning/pdf-copy.ts).
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund @cantoo/pdf-lib@2.11.1
cat > run.cjs <<'JS'
const { PDFDocument } = require("@cantoo/pdf-lib");
const make = async (useObjectStreams) => {
  const made = await PDFDocument.create();
  made.addPage([99, 99]);
  made.encrypt({ userPassword: "", ownerPassword: "owner" });
  return made.save({ useObjectStreams });
};
const open = (bytes, throwOnInvalidObject) =>
  PDFDocument.load(bytes, { password: "", throwOnInvalidObject }).then(
    (opened) => `${opened.getPageCount()} page`,
    (error) => `error: ${error.message.split(":")[0]}`,
  );
(async () => {
  const results = [];
  for (const useObjectStreams of [false, true])
    for (const isStrict of [false, true]) {
      const result = await open(await make(useObjectStreams), isStrict);
      results.push(result);
      console.log(`object streams: ${useObjectStreams}, strict: ${isStrict}: ${result}`);
    }
  const [last, ...others] = results.toReversed();
  process.exit(last.startsWith("error") && others.every((one) => one === "1 page") ? 0 : 1);
})();
JS
node run.cjs
