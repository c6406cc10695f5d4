import { createReadStream } from "node:fs";
import { detectSafePlainTextFileEncoding } from "#lib/files/upload/text-encoding.ts";
import { type RevealedCategory, REVEALED_CATEGORIES } from "./reveals.ts";

/** The hidden data in a text, and whether it is in a format whose purpose is to name people. */
type TextInspection = { reveals: RevealedCategory[]; namesPeople: boolean };

/**
 * Finds what a text in a known format reveals beside what somebody wrote: mails, calendars, contacts, GPS tracks,
 * subtitles of drones, and pictures inside of texts. Reads it piece by piece, since it may be longer than the memory
 * should hold.
 */
export async function inspectTextFormat(path: string): Promise<TextInspection> {
  const decoder = new TextDecoder((await detectSafePlainTextFileEncoding(path)) ?? "utf-8");
  const found = new Set<TextMark>();
  let rest = "";
  for await (const bytes of createReadStream(path, { highWaterMark: 64 * 1024 })) {
    const text = rest + decoder.decode(bytes as Buffer, { stream: true });
    for (const mark of TEXT_MARKS) if (!found.has(mark) && mark.pattern.test(text)) found.add(mark);
    rest = keepLastLine(text);
  }
  const marks = [...found].filter(({ isTelemetry }) => !isTelemetry || found.has(CUE));
  const reveals = new Set(marks.flatMap((mark) => mark.reveals));
  return {
    reveals: REVEALED_CATEGORIES.filter((kind) => reveals.has(kind)),
    namesPeople: marks.some((mark) => mark.namesPeople),
  };
}

type TextMark = {
  pattern: RegExp;
  reveals: readonly RevealedCategory[];
  namesPeople?: boolean;
  /** In other texts than subtitles, coordinates are what somebody wrote. */
  isTelemetry?: boolean;
};

/** The time of a subtitle. */
const CUE: TextMark = { pattern: /^[\d:.,]{5,12} --> \d/m, reveals: [] };

const TEXT_MARKS: readonly TextMark[] = [
  // Mails, and web pages that are saved as mails: their headers name servers, addresses and times.
  {
    pattern: /^(delivered-to|received|return-path|message-id|mime-version|dkim-signature):/im,
    reveals: REVEALED_CATEGORIES,
    namesPeople: true,
  },
  { pattern: /^[ \t]*\{\\rtf/im, reveals: REVEALED_CATEGORIES, namesPeople: true },
  { pattern: /^[ \t]*BEGIN:VCALENDAR/im, reveals: REVEALED_CATEGORIES, namesPeople: true },
  { pattern: /^[ \t]*BEGIN:VCARD/im, reveals: [], namesPeople: true },
  // A picture can hold everything, and so can a sound or a key.
  {
    pattern: /^(item\d+\.)?(photo|logo|sound|key)[;:].{0,100}?(base64|encoding=b|data:)/im,
    reveals: REVEALED_CATEGORIES,
  },
  { pattern: /data:[a-z]+\/[\w.+-]{1,60};base64,/i, reveals: REVEALED_CATEGORIES },
  { pattern: /^PRODID[;:]/m, reveals: ["device"] },
  { pattern: /^REV[;:]\d/m, reveals: ["time"] },
  { pattern: /^GEO[;:]/m, reveals: ["place"] },
  { pattern: /<gpx\b/i, reveals: ["place", "time"] },
  { pattern: /<gpx\b[^<>]{0,200}\screator\s?=/i, reveals: ["device"] },
  CUE,
  {
    pattern: /\b(latitude|longitude)\s?[:=]\s?[-+]?\d|\bGPS\s?\(\s?[-+]?\d/i,
    reveals: ["place", "time"],
    isTelemetry: true,
  },
];

const LINE_ENDS = ["\n", "\r", "\u2028", "\u2029"];
/** Longer than what a pattern needs. */
const MAX_REST_LENGTH = 256;
/** Stands for the start of a line that was tested already. */
const TESTED_LINE_START = "-";

/** A mark may lie on a boundary of what is read: it needs the start of its line, and a part of it. */
function keepLastLine(text: string): string {
  const lastLine = text.slice(Math.max(...LINE_ENDS.map((end) => text.lastIndexOf(end))) + 1);
  return lastLine.length > MAX_REST_LENGTH ? TESTED_LINE_START + lastLine.slice(-MAX_REST_LENGTH) : lastLine;
}
