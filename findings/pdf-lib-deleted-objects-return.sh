#!/bin/sh
# @cantoo/pdf-lib 2.11.1: an object that a later revision of a PDF deleted is there again after load and save.
#
# One would guess: a library that opens a PDF shows its last revision, in which an object marked as free in the
# cross-references doesn't exist any more (ISO 32000-2, 7.5.4 and 7.5.6).
# What happens: cross-references are skipped over; every object that was ever written to the file is loaded. A reference
# that a program left behind then leads to the deleted object again, and saving writes a file in which it is in use. The
# note below was deleted by the second revision, and the saved copy has it.
# For the service: what a document holds is read from its cross-references first (lib/files/cleaning/pdf-revisions.ts).
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund @cantoo/pdf-lib@2.11.1
cat > run.cjs <<'JS'
const { PDFDocument, PDFName } = require("@cantoo/pdf-lib");
const objects = [
  "<< /Type /Catalog /Pages 2 0 R >>",
  "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
  "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Annots [4 0 R] >>",
  "<< /Type /Annot /Subtype /Text /Rect [0 0 9 9] /Contents (a deleted note) >>",
];
let file = "%PDF-1.7\n";
const offsets = objects.map((source, at) => {
  const offset = file.length;
  file += `${at + 1} 0 obj\n${source}\nendobj\n`;
  return offset;
});
const table = file.length;
file += `xref\n0 5\n0000000000 65535 f \n${offsets.map((at) => `${String(at).padStart(10, "0")} 00000 n \n`).join("")}`;
file += `trailer\n<< /Size 5 /Root 1 0 R >>\nstartxref\n${table}\n%%EOF\n`;
const second = file.length;
file += `xref\n0 1\n0000000004 65535 f \n4 1\n0000000000 00001 f \n`;
file += `trailer\n<< /Size 5 /Root 1 0 R /Prev ${table} >>\nstartxref\n${second}\n%%EOF\n`;
(async () => {
  const loaded = await PDFDocument.load(Buffer.from(file, "latin1"), { updateMetadata: false });
  const saved = Buffer.from(await loaded.save({ useObjectStreams: false })).toString("latin1");
  const note = loaded.getPage(0).node.lookup(PDFName.of("Annots")).lookup(0);
  console.log("the deleted note after loading:", String(note?.get(PDFName.of("Contents"))));
  console.log("entries in use after saving:", (saved.match(/ n \n/g) ?? []).length, "of", objects.length);
  process.exit(saved.includes("a deleted note") ? 0 : 1);
})();
JS
node run.cjs
