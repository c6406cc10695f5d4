import { renderMarkdown } from "#lib/design/markdown.ts";
import { trimEndMatching } from "#lib/design/truncate.ts";

type ConductSection = {
  /** For links to it within the page. */
  id: string;
  /** Null before the first heading. */
  title: string | null;
  /** HTML without anything that the sanitizer doesn't allow. */
  html: string;
};

const HEADING = /^#{1,3}[ \t]/;
const FENCE = /^(```|~~~)/;

/**
 * With more headings than this, a table of contents is useless, and the page would be many times as long as the text.
 */
const MAX_SECTIONS = 100;

/** Splits a code of conduct in Markdown at its headings, so that a page can list them and link to each. */
export function splitConductSections(markdown: string): ConductSection[] {
  const parts: { title: string | null; lines: string[] }[] = [{ title: null, lines: [] }];
  let isInFence = false;
  for (const line of markdown.split("\n")) {
    if (FENCE.test(line)) isInFence = !isInFence;
    const title = isInFence || !HEADING.test(line) ? undefined : parseHeadingTitle(line);
    if (title) parts.push({ title: stripInlineMarkdown(title), lines: [] });
    else parts.at(-1)?.lines.push(line);
  }
  const sections = parts.length > MAX_SECTIONS ? [{ title: null, lines: [markdown] }] : parts;
  return sections
    .map(({ title, lines }) => ({ title, text: lines.join("\n").trim() }))
    .filter(({ title, text }) => title !== null || text !== "")
    .map(({ title, text }, at) => ({ id: `conduct-${at + 1}`, title, html: renderMarkdown(text) }));
}

/** Returns a heading's text without its opening and closing hash signs. */
const parseHeadingTitle = (line: string): string =>
  trimEndMatching(line.replace(/^#+/, "").trim(), /#/).trimEnd();

/** Strips the marks of emphasis, code and links from a heading. */
const stripInlineMarkdown = (title: string): string =>
  title.replace(/\[([^[\]]*)\]\([^)[]*\)/g, "$1").replace(/[*`]/g, "");
