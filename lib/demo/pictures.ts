import sharp from "sharp";
import type { RandomSource } from "./random.ts";
import type { EvidenceKind } from "./data.ts";

/** Small real files for the demo world. They are drawn, not photographed, and show nobody. */

type GeneratedFile = { filename: string; bytes: Uint8Array };

/** Renders a simple two-color logo of 256 px. The shapes are derived from the name. */
export function renderDemoLogoPng(name: string, [ground, figure]: readonly string[]): Promise<Buffer> {
  const code = [...name].reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0);
  const shapes = [
    `<circle cx="128" cy="104" r="52" fill="${figure}"/><rect x="32" y="176" width="192" height="20" rx="10" fill="${figure}"/>`,
    `<path d="M128 36 220 196H36Z" fill="${figure}"/><circle cx="128" cy="150" r="22" fill="${ground}"/>`,
    `<rect x="52" y="52" width="152" height="152" rx="28" fill="${figure}"/><circle cx="96" cy="96" r="16" fill="${ground}"/><circle cx="160" cy="160" r="16" fill="${ground}"/>`,
    `<path d="M40 188 104 68 144 140 168 104 216 188Z" fill="${figure}"/>`,
  ];
  const drawing = `${openSvg(256, 256)}<rect width="256" height="256" rx="48" fill="${ground}"/>${shapes[code % shapes.length]}</svg>`;
  return sharp(Buffer.from(drawing)).png().toBuffer();
}

/** Creates a file of this kind. `title` and `description` are the report's, for files that hold text. */
export async function generateDemoEvidenceFile(
  random: RandomSource,
  kind: EvidenceKind,
  { title, description, at }: { title: string; description: string; at: Date },
): Promise<GeneratedFile> {
  const day = at.toISOString().slice(0, 10);
  switch (kind) {
    case "photo":
      return {
        filename: random
          .pick(["IMG_{n}.jpg", "photo-{n}.jpg", "{n}.jpg"])
          .replace("{n}", drawPhotoNumber(random)),
        bytes: await drawPhoto(random),
      };
    case "chat":
      return { filename: `screenshot-${day}-${random.integer(1, 9)}.png`, bytes: await drawChat(random) };
    case "plan":
      return {
        filename: random.pick(["floor plan.webp", "where-it-was.webp", "seats.webp"]),
        bytes: await drawFloorPlan(random),
      };
    case "statement":
      return {
        filename: random.pick(["statement.pdf", "what happened.pdf", `account-${day}.pdf`]),
        bytes: createPdf(title, `${day}\n\n${description}`),
      };
    case "notes":
      return {
        filename: random.pick(["notes.txt", "times and places.txt"]),
        bytes: Buffer.from(`${day}\n${title}\n\n${description}\n`),
      };
  }
}

const drawPhotoNumber = (random: RandomSource) => String(random.integer(1200, 9800));

const openSvg = (width: number, height: number) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`;

/** Draws an empty room in evening light: wall, floor, a door or two, boxes. */
async function drawPhoto(random: RandomSource): Promise<Buffer> {
  const hue = random.integer(0, 359);
  const floor = random.integer(300, 380);
  const things = Array.from({ length: random.integer(2, 6) }, () => {
    const [width, height] = [random.integer(40, 130), random.integer(40, 160)];
    const x = random.integer(0, 640 - width);
    return `<rect x="${x}" y="${floor + random.integer(0, 40) - height}" width="${width}" height="${height}" fill="hsl(${(hue + random.integer(20, 60)) % 360} 25% ${random.integer(25, 60)}%)"/>`;
  });
  const drawing = `${openSvg(640, 480)}<rect width="640" height="480" fill="hsl(${hue} 18% 72%)"/><rect y="${floor}" width="640" height="${480 - floor}" fill="hsl(${hue} 14% 46%)"/>${things.join("")}</svg>`;
  return sharp(Buffer.from(drawing)).blur(1.4).jpeg({ quality: 72 }).toBuffer();
}

/** Draws a chat with its text blacked out, as considerate people share it. */
async function drawChat(random: RandomSource): Promise<Buffer> {
  let y = 24;
  const bubbles = Array.from({ length: random.integer(5, 8) }, () => {
    const mine = random.chance(0.35);
    const lines = random.integer(1, 3);
    const width = random.integer(140, 250);
    const x = mine ? 380 - width : 24;
    const height = 18 + lines * 18;
    const bars = Array.from({ length: lines }, (_, line) => {
      const length = Math.round((width - 28) * (line === lines - 1 ? 0.6 : 1));
      return `<rect x="${x + 14}" y="${y + 12 + line * 18}" width="${length}" height="9" rx="2" fill="${mine ? "#dfeaf0" : "#55606b"}"/>`;
    });
    const bubble = `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="14" fill="${mine ? "#2f6f8f" : "#e6e9ec"}"/>${bars.join("")}`;
    y += height + 12;
    return bubble;
  });
  const height = y + 12;
  return sharp(
    Buffer.from(
      `${openSvg(404, height)}<rect width="404" height="${height}" fill="#fbfbfa"/>${bubbles.join("")}</svg>`,
    ),
  )
    .png()
    .toBuffer();
}

/** Draws a floor plan with a cross at the location of the incident. */
async function drawFloorPlan(random: RandomSource): Promise<Buffer> {
  const wall = (x: number, y: number, width: number, height: number) =>
    `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="none" stroke="#3b4650" stroke-width="4"/>`;
  const split = random.integer(150, 330);
  const tables = Array.from({ length: random.integer(4, 9) }, () => {
    return `<circle cx="${random.integer(50, 430)}" cy="${random.integer(50, 270)}" r="13" fill="#c9d3da"/>`;
  });
  const [x, y] = [random.integer(60, 420), random.integer(60, 260)];
  const cross = `<path d="M${x - 12} ${y - 12} ${x + 12} ${y + 12}M${x + 12} ${y - 12} ${x - 12} ${y + 12}" stroke="#b3261e" stroke-width="6" stroke-linecap="round"/>`;
  const drawing = `${openSvg(480, 320)}<rect width="480" height="320" fill="#ffffff"/>${wall(20, 20, 440, 280)}${wall(20, 20, split, 130)}${tables.join("")}${cross}</svg>`;
  return sharp(Buffer.from(drawing)).webp({ quality: 80 }).toBuffer();
}

/** Creates a PDF of one A4 page with a heading and a text, in the standard fonts of every PDF reader. */
export function createPdf(title: string, text: string): Buffer {
  const lines = [...wrapLines(text, 84)].slice(0, 44).map((line) => `(${toPdfText(line)}) Tj T*`);
  const content = `BT /F2 15 Tf 64 770 Td (${toPdfText(title)}) Tj ET\nBT /F1 11 Tf 16 TL 64 738 Td ${lines.join("\n")} ET`;
  return assemblePdf([
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 5 0 R /F2 6 0 R >> >> /Contents 4 0 R >>",
    `<< /Length ${Buffer.byteLength(content, "latin1")} >>\nstream\n${content}\nendstream`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>",
  ]);
}

/** Assembles numbered objects, the table of their offsets, and the offset of that table. */
function assemblePdf(objects: readonly string[]): Buffer {
  let body = "%PDF-1.4\n";
  const offsets = objects.map((object, index) => {
    const offset = body.length;
    body += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, "0")} 00000 n \n`;
  });
  const size = objects.length + 1;
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${offsets.join("")}`;
  const trailer = `trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF\n`;
  return Buffer.from(body + table + trailer, "latin1");
}

/** Replaces characters that the standard fonts lack, and escapes those that would end the string. */
const toPdfText = (line: string) => line.replace(/[^\x20-\x7e\xa0-\xff]/g, "?").replace(/[\\()]/g, "\\$&");

function* wrapLines(text: string, width: number): Generator<string> {
  for (const paragraph of text.split("\n")) {
    let line = "";
    for (const word of paragraph.split(" ")) {
      if (line && line.length + word.length >= width) {
        yield line;
        line = "";
      }
      line = line ? `${line} ${word}` : word;
    }
    yield line;
  }
}
