import MarkdownIt from "markdown-it";
import sanitize from "sanitize-html";

/**
 * Markdown of a comment as HTML that a page can show: no HTML of the writer's, no images (which would tell another
 * site who reads here), and links that don't say where they were followed.
 */
export function markdownToHtml(markdown: string): string {
  const known = rendered.get(markdown);
  if (known !== undefined) return known;
  const html = formatted(markdown) ?? sanitize(`<pre>${renderer.utils.escapeHtml(markdown)}</pre>`, ALLOWED);
  remember(markdown, html);
  return html;
}

/**
 * Null where marks would make many times as much HTML as there is text, such as quotes within quotes: everybody who opens
 * the page would wait for it. Nobody writes like that by accident, so such a text is shown as it was written.
 */
function formatted(markdown: string): string | null {
  const longest = MAX_EXPANSION * markdown.length + 1000;
  const html = renderer.render(markdown);
  const sanitized = html.length <= longest ? sanitize(html, ALLOWED) : null;
  return sanitized && sanitized.length <= longest ? sanitized : null;
}

const MAX_EXPANSION = 5;

// What isn't taken: images; tables, since a few thousand characters of one can become a hundred times as many; and
// references, which turn the [1] that people write into something else when a line below looks like its definition.
const renderer = new MarkdownIt({ html: false, linkify: false, breaks: true }).disable([
  "image",
  "table",
  "reference",
]);

/** Twice on purpose: the renderer takes no HTML in, and what it gives is checked once more by another hand. */
const ALLOWED: sanitize.IOptions = {
  allowedTags: "p br hr strong em s a ul ol li blockquote code pre h3 h4 h5 h6".split(" "),
  allowedAttributes: { a: ["href", "rel"], ol: ["start"] },
  allowedSchemes: ["http", "https", "mailto"],
  allowProtocolRelative: false,
  transformTags: {
    a: sanitize.simpleTransform("a", { rel: "noopener noreferrer nofollow" }),
    // A comment stands beneath the headings of a page.
    h1: "h3",
    h2: "h4",
    h3: "h5",
    h4: "h6",
    h5: "h6",
  },
};

// A list shows the same texts again and again, and the costliest text takes milliseconds.
const MOST_LETTERS = 4_000_000;
const rendered = new Map<string, string>();
let letters = 0;

function remember(markdown: string, html: string): void {
  rendered.set(markdown, html);
  letters += markdown.length + html.length;
  for (const [text, kept] of rendered) {
    if (letters <= MOST_LETTERS) break;
    rendered.delete(text);
    letters -= text.length + kept.length;
  }
}

const TURN_MS = 15;

/** As `markdownToHtml` for each text, giving way to other requests where it takes longer. */
export async function allToHtml(texts: readonly string[]): Promise<string[]> {
  const html: string[] = [];
  let turn = performance.now();
  for (const text of texts) {
    html.push(markdownToHtml(text));
    if (performance.now() - turn < TURN_MS) continue;
    await new Promise((resolve) => setImmediate(resolve));
    turn = performance.now();
  }
  return html;
}
