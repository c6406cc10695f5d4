import {
  decodePDFRawStream,
  PDFArray,
  PDFDict,
  PDFName,
  PDFNumber,
  type PDFRawStream,
} from "@cantoo/pdf-lib";

/**
 * Returns the bytes of a stream without its filters. The library leaves rows of a predictor (ISO 32000-2, 7.4.4.4) as
 * they are, which cross-references usually have.
 * @throws Error when a filter isn't known or the stream is broken
 */
export function decodeStream(stream: PDFRawStream): Buffer {
  const bytes = toBuffer(decodePDFRawStream(stream).decode());
  const parameters = stream.dict.lookup(PDFName.of("DecodeParms"));
  const last = parameters instanceof PDFArray ? parameters.lookup(parameters.size() - 1) : parameters;
  if (!(last instanceof PDFDict)) return bytes;
  const predictor = readNumber(last, "Predictor") ?? 1;
  if (predictor === 1) return bytes;
  if (predictor < 10) throw new Error("This document has a stream that can't be read.");
  const [colors, bits, columns] = ["Colors", "BitsPerComponent", "Columns"].map((key) =>
    readNumber(last, key),
  );
  const pixel = Math.max(1, ((colors ?? 1) * (bits ?? 8)) >> 3);
  return undoPngPrediction(bytes, pixel, Math.ceil(((colors ?? 1) * (bits ?? 8) * (columns ?? 1)) / 8));
}

/** Each row begins with the kind of its prediction (RFC 2083, 6). */
function undoPngPrediction(bytes: Buffer, pixel: number, width: number): Buffer {
  const rows = Math.ceil(bytes.length / (width + 1));
  const result = Buffer.alloc(rows * width);
  for (let row = 0; row < rows; row += 1) {
    const [from, to] = [row * (width + 1), row * width];
    for (let x = 0; x < width && from + 1 + x < bytes.length; x += 1) {
      const left = x >= pixel ? (result[to + x - pixel] ?? 0) : 0;
      const above = row > 0 ? (result[to + x - width] ?? 0) : 0;
      const corner = row > 0 && x >= pixel ? (result[to + x - width - pixel] ?? 0) : 0;
      result[to + x] = (bytes[from + 1 + x] ?? 0) + predict(bytes[from] ?? 0, [left, above, corner]);
    }
  }
  return result;
}

function predict(kind: number, [left, above, corner]: [number, number, number]): number {
  switch (kind) {
    case 0:
      return 0;
    case 1:
      return left;
    case 2:
      return above;
    case 3:
      return (left + above) >> 1;
    case 4:
      return choosePaethNeighbor(left, above, corner);
    default:
      throw new Error("This document has a stream that can't be read.");
  }
}

function choosePaethNeighbor(left: number, above: number, corner: number): number {
  const [a, b, c] = [left, above, corner].map((value) => Math.abs(left + above - corner - value));
  if (Number(a) <= Number(b) && Number(a) <= Number(c)) return left;
  return Number(b) <= Number(c) ? above : corner;
}

export function readNumber(dict: PDFDict, key: string): number | null {
  const value = dict.lookup(PDFName.of(key));
  return value instanceof PDFNumber ? value.asNumber() : null;
}

export const toBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
