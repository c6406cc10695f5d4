import { describe, expect, it } from "vitest";
import { renderMarkdown } from "#lib/design/markdown.ts";

const REL = 'rel="noopener noreferrer nofollow"';

const cases: [markdown: string, html: string][] = [
  [
    "*one* **two** ~~three~~ `four`",
    "<p><em>one</em> <strong>two</strong> <s>three</s> <code>four</code></p>",
  ],
  ["a line\nand the next", "<p>a line<br />\nand the next</p>"],
  ["- one\n- two", "<ul>\n<li>one</li>\n<li>two</li>\n</ul>"],
  ["3. one", '<ol start="3">\n<li>one</li>\n</ol>'],
  ["> said", "<blockquote>\n<p>said</p>\n</blockquote>"],
  ["# A heading", "<h3>A heading</h3>"],
  [
    "[here](https://example.org/?a=1&b=2)",
    `<p><a href="https://example.org/?a=1&amp;b=2" ${REL}>here</a></p>`,
  ],
  ["https://example.org stays text", "<p>https://example.org stays text</p>"],
  ["[1] and\n\n[1]: https://example.org", "<p>[1] and</p>\n<p>[1]: https://example.org</p>"],
  ["| a |\n|---|\n| b |", "<p>| a |<br />\n|—|<br />\n| b |</p>".replace("—", "---")],
];

const hostile: [what: string, markdown: string][] = [
  ["a script", "<script>alert(1)</script>"],
  ["an image", "![x](https://example.org/spy.png)"],
  ["an image as HTML", '<img src="https://example.org/spy.png" onerror="alert(1)">'],
  ["a script as a link", "[x](javascript:alert(1))"],
  ["a script as a link, in other letters", "[x](JaVaScRiPt&colon;alert(1)) <javascript:alert(1)>"],
  ["data as a link", "[x](data:text/html;base64,PHNjcmlwdD4=)"],
  ["a title that ends its quotes", `[x](https://example.org '" onmouseover="alert(1)')`],
  ["an address that ends its quotes", '[x](<https://example.org/" onmouseover="alert(1)>)'],
  ["a style", '<p style="position:fixed">x</p><style>*{display:none}</style>'],
  ["code with HTML", "```html\n<script>alert(1)</script>\n```"],
  ["a comment that is cut", "<!-- <b> --><b"],
];

describe("renderMarkdown", () => {
  it.each(cases)("turns %j into the expected HTML", (markdown, html) => {
    expect(renderMarkdown(markdown).trim()).toBe(html);
  });

  it.each(hostile)("turns %s into nothing that a browser would run or load", (_, markdown) => {
    const html = renderMarkdown(markdown);
    const tags = [...html.matchAll(/<\/?([a-z0-9]+)([^>]*)>/g)];
    for (const [, name, attributes = ""] of tags) {
      expect(["p", "br", "a", "code", "pre"]).toContain(name);
      expect(attributes.replace(/ (href|rel)="[^"]*"| \//g, "")).toBe("");
      expect(attributes).not.toMatch(/href="(?!https?:|mailto:)/);
    }
  });

  it("makes no link of an address without a scheme", () => {
    expect(renderMarkdown("[x](//example.org)")).toBe(`<p><a ${REL}>x</a></p>\n`);
  });

  it.each([
    ["quotes within quotes", ">>>>>>>>>>a\n\n"],
    ["lists within lists", "- - - - - - a\n"],
    ["links without words", "[](a) "],
  ])("shows as written what would become many times as long: %s", (_, piece) => {
    const html = renderMarkdown(piece.repeat(10_000 / piece.length));
    expect(html.slice(0, 5)).toBe("<pre>");
    expect(html.split(piece.trim().replaceAll(">", "&gt;")).length - 1).toBe(
      Math.floor(10_000 / piece.length),
    );
  });

  it("formats a long text of short items, paragraphs and links", () => {
    const markdown = "> - *one*\n> - [two](https://example.org)\n\nthree\n\n# four\n\n".repeat(170);
    expect(renderMarkdown(markdown)).toContain("<h3>four</h3>");
  });

  it("returns the same result when called again", () => {
    expect(renderMarkdown("*once*")).toBe(renderMarkdown("*once*"));
  });
});
