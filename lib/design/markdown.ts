import MarkdownIt from "markdown-it";
import sanitize from "sanitize-html";

/**
 * Markdown of a comment as HTML that a page can show: no HTML of the writer's, no images (which would tell another
 * site who reads here), and links that don't say where they were followed.
 */
export function markdownToHtml(markdown: string): string {
  const cached = htmlCache.get(markdown);
  if (cached !== undefined) return cached;
  const html =
    renderIfBounded(markdown) ??
    sanitize(`<pre>${renderer.utils.escapeHtml(markdown)}</pre>`, SANITIZE_OPTIONS);
  cacheHtml(markdown, html);
  return html;
}

/**
 * Null where marks would make many times as much HTML as there is text, such as quotes within quotes: everybody who opens
 * the page would wait for it. Nobody writes like that by accident, so such a text is shown as it was written.
 */
function renderIfBounded(markdown: string): string | null {
  const maxLength = MAX_EXPANSION_FACTOR * markdown.length + 1000;
  const html = renderer.render(markdown);
  const sanitized = html.length <= maxLength ? sanitize(html, SANITIZE_OPTIONS) : null;
  return sanitized && sanitized.length <= maxLength ? sanitized : null;
}

const MAX_EXPANSION_FACTOR = 5;

// What isn't taken: images; tables, since a few thousand characters of one can become a hundred times as many; and
// references, which turn the [1] that people write into something else when a line below looks like its definition.
const renderer = new MarkdownIt({ html: false, linkify: false, breaks: true }).disable([
  "image",
  "table",
  "reference",
]);

/** Twice on purpose: the renderer takes no HTML in, and what it gives is checked once more by another hand. */
const SANITIZE_OPTIONS: sanitize.IOptions = {
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
const MAX_CACHED_CHARACTERS = 4_000_000;
const htmlCache = new Map<string, string>();
let cachedCharacters = 0;

function cacheHtml(markdown: string, html: string): void {
  htmlCache.set(markdown, html);
  cachedCharacters += markdown.length + html.length;
  for (const [text, cachedHtml] of htmlCache) {
    if (cachedCharacters <= MAX_CACHED_CHARACTERS) break;
    htmlCache.delete(text);
    cachedCharacters -= text.length + cachedHtml.length;
  }
}

const MAX_TURN_MS = 15;

/** As `markdownToHtml` for each text, giving way to other requests where it takes longer. */
export async function allMarkdownToHtml(texts: readonly string[]): Promise<string[]> {
  const html: string[] = [];
  let turnStart = performance.now();
  for (const text of texts) {
    html.push(markdownToHtml(text));
    if (performance.now() - turnStart < MAX_TURN_MS) continue;
    await new Promise((resolve) => setImmediate(resolve));
    turnStart = performance.now();
  }
  return html;
}
