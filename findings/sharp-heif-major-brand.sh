#!/bin/sh
# sharp (libvips) recognizes HEIF and AVIF by the major brand alone, and only by some of the brands.
#
# One would guess that a reader of HEIF looks at all brands of the file type box: the major brand says which
# specification suits the file best, and the compatible brands say which readers can read it (ISO 14496-12). A file with
# the major brand `miaf`, `mif2` or `avis`, and `avif` or `mif1` among its compatible brands, is valid.
#
# sharp refuses it as "unsupported image format", though the same bytes with another major brand are read. libheif, which
# does the reading, has no problem with them. Seen with sharp 0.35.5 (libvips 8.18.7, libheif 1.23.5):
#
#   avif: 8x8
#   mif1: 8x8
#   miaf: Input buffer contains unsupported image format
#   mif2: Input buffer contains unsupported image format
#   avis: Input buffer contains unsupported image format
#
# For the service: photos with these brands were "damaged" for it. It writes a major brand that sharp knows into a copy
# in memory before it hands a picture over.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund sharp@0.35.5 >/dev/null
cat >check.mjs <<'JS'
import sharp from "sharp";

const picture = { create: { width: 8, height: 8, channels: 3, background: "#a33" } };
const avif = await sharp(picture).avif({ effort: 0 }).toBuffer();
const lines = [];
for (const brand of ["avif", "mif1", "miaf", "mif2", "avis"]) {
  const bytes = Buffer.from(avif);
  bytes.write(brand, 8);
  const seen = await sharp(bytes)
    .metadata()
    .then(({ width, height }) => `${width}x${height}`, (error) => error.message);
  lines.push(`${brand}: ${seen}`);
}
console.log(`sharp ${sharp.versions.sharp}, libvips ${sharp.versions.vips}, libheif ${sharp.versions.heif}`);
console.log(lines.join("\n"));
const refused = lines.filter((line) => line.endsWith("unsupported image format")).map((line) => line.slice(0, 4));
if (refused.join() !== "miaf,mif2,avis") process.exit(1);
JS
node check.mjs
