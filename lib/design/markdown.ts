import { LRUCache } from "lru-cache";
import MarkdownIt from "markdown-it";
import sanitize from "sanitize-html";

/**
 * Renders the Markdown of a code of conduct as HTML that is safe to show: no HTML from the author, no images (which would tell
 * another site who reads this), and links that send no referrer.
 */
export function renderMarkdown(markdown: string): string {
  const cached = htmlCache.get(markdown);
  if (cached !== undefined) return cached;
  const html =
    renderIfBounded(markdown) ??
    sanitize(`<pre>${renderer.utils.escapeHtml(markdown)}</pre>`, SANITIZE_OPTIONS);
  htmlCache.set(markdown, html);
  return html;
}

/**
 * Returns null if the markup, such as nested quotes, would produce many times as much HTML as there is text: everybody
 * who opens the page would wait for it. Nobody writes like that by accident, so such a text is shown unrendered.
 */
function renderIfBounded(markdown: string): string | null {
  const maxLength = MAX_EXPANSION_FACTOR * markdown.length + 1000;
  const html = renderer.render(markdown);
  const sanitized = html.length <= maxLength ? sanitize(html, SANITIZE_OPTIONS) : null;
  return sanitized && sanitized.length <= maxLength ? sanitized : null;
}

const MAX_EXPANSION_FACTOR = 5;

// Not supported: images; tables, since a few thousand characters can become a hundred times as much HTML; and reference
// links, which turn a plain [1] into something else if a line below looks like its definition.
const renderer = new MarkdownIt({ html: false, linkify: false, breaks: true }).disable([
  "image",
  "table",
  "reference",
]);

/** Deliberately redundant: the renderer accepts no HTML, and a second library checks what it produces. */
const SANITIZE_OPTIONS: sanitize.IOptions = {
  allowedTags: "p br hr strong em s a ul ol li blockquote code pre h3 h4 h5 h6".split(" "),
  allowedAttributes: { a: ["href", "rel"], ol: ["start"] },
  allowedSchemes: ["http", "https", "mailto"],
  allowProtocolRelative: false,
  transformTags: {
    a: sanitize.simpleTransform("a", { rel: "noopener noreferrer nofollow" }),
    // A code of conduct appears beneath the headings of a page.
    h1: "h3",
    h2: "h4",
    h3: "h5",
    h4: "h6",
    h5: "h6",
  },
};

// Pages show the same texts repeatedly, and the costliest text takes milliseconds.
const htmlCache = new LRUCache<string, string>({
  // In characters.
  maxSize: 4_000_000,
  sizeCalculation: (html, markdown) => markdown.length + html.length,
});
