import sharp from "sharp";

/** Small generated files. */

export const createPng = (): Promise<Buffer> => createPicture().png().toBuffer();
export const createJpeg = (): Promise<Buffer> => createPicture().jpeg().toBuffer();

/** Creates a photo like a phone's: rotated by its EXIF orientation, with place, camera, time and the owner's name. */
export const createPhoto = (): Promise<Buffer> =>
  createPicture()
    .withExif({
      IFD0: { Make: "Lantern", Model: "Lantern 3", Artist: "Maya Castillo" },
      IFD2: { DateTimeOriginal: "2026:03:01 10:15:00", BodySerialNumber: "LN3-0042" },
      IFD3: {
        GPSLatitudeRef: "N",
        GPSLatitude: "52/1 31/1 12/1",
        GPSLongitudeRef: "E",
        GPSLongitude: "13/1 24/1 18/1",
      },
    })
    .withMetadata({ orientation: 6 })
    .jpeg({ quality: 90 })
    .toBuffer();

const createPicture = () =>
  sharp({ create: { width: 24, height: 16, channels: 3, background: { r: 30, g: 90, b: 160 } } });

/** Creates a PDF of one empty page, with a valid cross-reference table. */
export function createPdf(): Buffer {
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] >>",
  ];
  let text = "%PDF-1.4\n";
  const offsets = objects.map((object, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, "0")} 00000 n \n`;
  });
  const size = objects.length + 1;
  text += `xref\n0 ${size}\n0000000000 65535 f \n${offsets.join("")}`.concat(
    `trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`,
  );
  return Buffer.from(text, "latin1");
}

export type Attachment = { name: string; bytes: Uint8Array | string; type?: string; field?: string };

/** Builds a multipart body of fields and files. */
export function buildForm(fields: Record<string, string>, ...files: Attachment[]): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.append(name, value);
  for (const { name, bytes, type = "application/octet-stream", field = "relatedFiles" } of files)
    data.append(field, new Blob([bytes as BlobPart], { type }), name);
  return data;
}
