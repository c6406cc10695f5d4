import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { renderLinkedText, splitLinkedText } from "#lib/design/linked-text.ts";

const linksOf = (text: string) =>
  splitLinkedText(text).flatMap(({ text: part, href }) => (href ? [[part, href]] : []));

const unescape = (html: string) =>
  html.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
/** What a reader sees of the HTML. */
const readHtml = (html: string) =>
  unescape(
    html
      .replaceAll("</p><p>", "\n\n")
      .replaceAll("<br>", "\n")
      .replace(/<[^>]*>/g, ""),
  );

/** Text of the kind that Markdown takes for marks. */
const pieces = fc.oneof(
  fc.constantFrom(
    "18.",
    "2.",
    "16. Oktober",
    "b***h",
    "Kolleg*innen",
    "snake_case",
    "~~~ Maya ~~~",
    "**",
    "*",
    "_",
    "`",
    "```",
    "# ",
    "> ",
    "- ",
    "+ ",
    "1) ",
    "[x](y)",
    "![a](b)",
    "<b>",
    "&amp;",
    "\\*",
    "---",
    "===",
    "    ",
    "\t",
    "\n",
    "\n\n",
    " ",
    "https://example.org/e/spring/i/1",
    "http://",
    "HTTPS://EXAMPLE.org",
    "(https://example.org/a_(b))",
    "user:pass",
  ),
  fc.string({ unit: "grapheme", maxLength: 8 }),
);
const texts = fc.array(pieces, { maxLength: 30 }).map((parts) => parts.join(""));

describe("a text", () => {
  test("shows all that was typed, and nothing else, in pages and in HTML", () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(
          splitLinkedText(text)
            .map((part) => part.text)
            .join(""),
        ).toBe(text);
        expect(readHtml(renderLinkedText(text))).toBe(text.replace(/\n{2,}/g, "\n\n"));
      }),
    );
  });

  test("becomes HTML of paragraphs, line breaks and links to http and https alone", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const rest = renderLinkedText(text).replace(
          /<\/?p>|<br>|<\/a>|<a href="https?:[^"<>]*" rel="noopener noreferrer nofollow">/g,
          "",
        );
        expect(rest).not.toMatch(/[<>"]/);
      }),
    );
  });
});

describe("an address", () => {
  test.each([
    ["https://example.org", "https://example.org", "https://example.org/"],
    ["See https://example.org/e/spring/i/1.", "https://example.org/e/spring/i/1", undefined],
    ["(http://localhost:3000/inbox?page=2)", "http://localhost:3000/inbox?page=2", undefined],
    ["https://example.org/a_(b)", "https://example.org/a_(b)", undefined],
    ["„https://example.org/ä“", "https://example.org/ä", "https://example.org/%C3%A4"],
    ["**https://example.org/a**", "https://example.org/a", undefined],
  ])("in %j is a link", (text, part, href) => {
    expect(linksOf(text)).toEqual([[part, href ?? part]]);
  });

  test.each([
    "javascript:alert(1)",
    "data:text/html,x",
    "ftp://example.org",
    "//example.org",
    "example.org",
    "https://",
    "https://bank.example@example.org/",
    "maya@example.org",
  ])("%s is text", (text) => {
    expect(linksOf(text)).toEqual([]);
    expect(renderLinkedText(text)).toBe(`<p>${text}</p>`);
  });
});
