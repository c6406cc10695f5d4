import { constants, deflateRawSync } from "node:zlib";

const MEGABYTE = 1024 * 1024;
/** The remainder by which Adler-32 counts. */
const ADLER_MODULUS = 65_521;

/** Returns some kilobytes in zlib's format that unpack to as many megabytes of zeros. Packs one, and repeats it. */
export function packZeros(megabytes: number): Buffer {
  const packed = deflateRawSync(Buffer.alloc(MEGABYTE), { finishFlush: constants.Z_FULL_FLUSH });
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE((((megabytes * MEGABYTE) % ADLER_MODULUS) * 0x1_0000 + 1) >>> 0);
  return Buffer.concat([
    Buffer.from([0x78, 0x01]),
    ...Array.from({ length: megabytes }, () => packed),
    deflateRawSync(Buffer.alloc(0)),
    checksum,
  ]);
}
