#!/bin/sh
# @cantoo/pdf-lib 2.11.1: a reader of PDF streams that leaves their predictor in.
#
# One would guess: a decoder of Flate streams also undoes the predictor that the stream's DecodeParms name (ISO 32000-2,
# 7.4.4.4), and the parser of cross-reference streams returns the offsets that they hold. Most programs write their
# cross-references with a PNG predictor.
# What happens: decodePDFRawStream ignores /Predictor and returns the predicted rows, filter bytes included, and
# PDFXRefStreamParser returns entries that aren't there. Loading a document still works, because the library finds
# objects by reading the whole file.
# For the service: cross-references are read by our own decoder (lib/files/cleaning/pdf-stream.ts).
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund @cantoo/pdf-lib@2.11.1
cat > run.cjs <<'JS'
const { deflateSync } = require("node:zlib");
const { PDFContext, PDFName, PDFXRefStreamParser } = require("@cantoo/pdf-lib");
const entries = [[0, 0, 0], [1, 15, 0], [1, 64, 0], [1, 120, 0]];
// PNG "up" rows: each byte is the difference to the one above.
const rows = entries.map((row, at) => [2, ...row.map((byte, x) => (byte - (at > 0 ? entries[at - 1][x] : 0)) & 255)]);
const parse = (bytes, more) => {
  const context = PDFContext.create();
  const dict = { Type: "XRef", Size: 4, W: [1, 1, 1], Filter: "FlateDecode", ...more };
  return PDFXRefStreamParser.forStream(context.stream(deflateSync(Buffer.from(bytes.flat())), dict))
    .parseIntoContext()
    .map(({ offset }) => offset);
};
const plain = parse(entries, {});
const predicted = parse(rows, { DecodeParms: { Predictor: 12, Columns: 3 } });
console.log("offsets without predictor:", plain.join(" "));
console.log("the same with predictor 12:", predicted.join(" "));
const isAsSeen = plain.join() === "0,15,64,120" && predicted.join() !== plain.join();
process.exit(isAsSeen ? 0 : 1);
JS
node run.cjs
