#!/bin/sh
# MediaInfo calls the artist of a WAV its director.
#
# One would guess that `IART`, which the RIFF specification calls "Artist", arrives as `Performer`, as the artist of an
# MP3 does. MediaInfo takes RIFF for AVI, whose artist is a director, and names the field so in a WAV as well. Seen with
# mediainfo.js 0.3.8:
#
#   WAV, IART: Director
#   MP3, TPE1: Performer
#
# For the service: who looks for names in a sound by the field for performers misses those in recordings of computers.
# It counts all fields for people, whatever the kind of recording.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund mediainfo.js@0.3.8 >/dev/null
cat >check.mjs <<'JS'
import mediaInfo from "mediainfo.js";

const le32 = (value) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};
const chunk = (id, content) => Buffer.concat([Buffer.from(id), le32(content.length), content]);
const name = "Jane Roe";
const wave = Buffer.concat([
  Buffer.from("WAVE"),
  chunk("fmt ", Buffer.from("01000100401f0000803e000002001000", "hex")),
  chunk("LIST", Buffer.concat([Buffer.from("INFO"), chunk("IART", Buffer.from(`${name}\0\0`))])),
  chunk("data", Buffer.alloc(1600)),
]);
const wav = chunk("RIFF", wave);
const frame = Buffer.concat([Buffer.from("fffb90c4", "hex"), Buffer.alloc(413)]);
const artist = Buffer.concat([Buffer.from("TPE1\0\0\0\x09\0\0\x03"), Buffer.from(name)]);
const mp3 = Buffer.concat([Buffer.from("ID3\x03\0\0\0\0\0"), Buffer.from([artist.length]), artist, ...Array(20).fill(frame)]);

const reader = await mediaInfo({ format: "object" });
const find = async (bytes) => {
  const { media } = await reader.analyzeData(() => bytes.length, (size, offset) => bytes.subarray(offset, offset + size));
  return Object.entries(media.track[0]).find(([, value]) => value === name)?.[0];
};
const seen = [await find(wav), await find(mp3)];
reader.close();
console.log(`WAV, IART: ${seen[0]}\nMP3, TPE1: ${seen[1]}`);
if (seen.join() !== "Director,Performer") process.exit(1);
JS
node check.mjs
