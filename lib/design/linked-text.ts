import { trimEndMatching } from "#lib/design/truncate.ts";

/**
 * Texts that people write, as they were typed: every character stays, and only addresses become links. The one rule for
 * messages and notes (contract 8.1).
 */

type LinkedTextPart = { text: string; href?: string };

const ADDRESS = /https?:\/\/[^\s<>"\p{Cc}\p{Cf}]+/giu;
/** What ends a sentence behind an address rather than belonging to it, also behind a bracket around both. */
const TRAILING_MARKS = /[.,;:!?'’“”»…*_~`]/u;
const TRAILING_MARKS_AND_BRACKETS = /[.,;:!?'’“”»…*_~`)\]]/u;

/** Splits a text at its http and https addresses. The parts together are the text. */
export function splitLinkedText(text: string): LinkedTextPart[] {
  const parts: LinkedTextPart[] = [];
  let end = 0;
  for (const { 0: match, index } of text.matchAll(ADDRESS)) {
    const address = trimAddress(match);
    const href = toSafeHref(address);
    if (!href) continue;
    if (index > end) parts.push({ text: text.slice(end, index) });
    parts.push({ text: address, href });
    end = index + address.length;
  }
  if (end < text.length) parts.push({ text: text.slice(end) });
  return parts;
}

/** Leaves out marks at the end, and closing brackets where the address opens none. */
const trimAddress = (match: string): string =>
  trimEndMatching(match, /[([]/.test(match) ? TRAILING_MARKS : TRAILING_MARKS_AND_BRACKETS);

/** Returns null for what no browser could open, and for an address with a name before its host, which misleads. */
function toSafeHref(address: string): string | null {
  const url = URL.parse(address);
  return url && url.username === "" && url.password === "" ? url.href : null;
}

export const LINK_REL = "noopener noreferrer nofollow";

/** Renders a text as HTML: paragraphs, line breaks and links, and nothing else. */
export const renderLinkedText = (text: string): string =>
  text
    .split(/\n{2,}/)
    .map((paragraph) => `<p>${renderParts(paragraph).replaceAll("\n", "<br>")}</p>`)
    .join("");

const renderParts = (text: string): string =>
  splitLinkedText(text)
    .map(({ text: part, href }) =>
      href ? `<a href="${escapeHtml(href)}" rel="${LINK_REL}">${escapeHtml(part)}</a>` : escapeHtml(part),
    )
    .join("");

const escapeHtml = (text: string): string =>
  text.replace(
    /[&<>"]/g,
    (mark) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[mark] ?? mark,
  );
