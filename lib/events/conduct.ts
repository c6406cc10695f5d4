import { markdownToHtml } from "#lib/design/markdown.ts";
import { trimEndMatching } from "#lib/design/cut.ts";

type ConductSection = {
  /** For links to it within the page. */
  id: string;
  /** Null before the first heading. */
  title: string | null;
  /** Sanitized. */
  html: string;
};

const HEADING = /^#{1,3}[ \t]/;
const FENCE = /^(```|~~~)/;

/** With more headings than that, a list of them helps nobody, and the page would be many times as long as the text. */
const MAX_SECTIONS = 100;

/** A code of conduct, written in Markdown, cut at its headings, so that a page can list them and lead to each. */
export function splitConductSections(markdown: string): ConductSection[] {
  const parts: { title: string | null; lines: string[] }[] = [{ title: null, lines: [] }];
  let isInFence = false;
  for (const line of markdown.split("\n")) {
    if (FENCE.test(line)) isInFence = !isInFence;
    const title = isInFence || !HEADING.test(line) ? undefined : headingTitleOf(line);
    if (title) parts.push({ title: stripInlineMarkdown(title), lines: [] });
    else parts.at(-1)?.lines.push(line);
  }
  const sections = parts.length > MAX_SECTIONS ? [{ title: null, lines: [markdown] }] : parts;
  return sections
    .map(({ title, lines }) => ({ title, text: lines.join("\n").trim() }))
    .filter(({ title, text }) => title !== null || text !== "")
    .map(({ title, text }, at) => ({ id: `conduct-${at + 1}`, title, html: markdownToHtml(text) }));
}

/** What a heading says, between the marks that open and may close it. */
const headingTitleOf = (line: string): string =>
  trimEndMatching(line.replace(/^#+/, "").trim(), /#/).trimEnd();

/** A heading without the marks of emphasis, code and links. */
const stripInlineMarkdown = (title: string): string =>
  title.replace(/\[([^[\]]*)\]\([^)[]*\)/g, "$1").replace(/[*`]/g, "");
