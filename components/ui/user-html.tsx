type Props = {
  /** Only HTML that the server rendered from Markdown and sanitized (lib/design/markdown.ts). */
  html: string;
};

/**
 * Text that people wrote, in its own writing direction. The only component that inserts HTML made from people's text.
 */
export function UserHtml({ html }: Props) {
  return (
    <div dir="auto" className={PROSE_CLASS} dangerouslySetInnerHTML={{ __html: addBlockDirections(html) }} />
  );
}

const PROSE_CLASS = [
  "grid max-w-[68ch] min-w-0 gap-2 text-lg leading-relaxed wrap-anywhere",
  "[&_a]:underline [&_a]:underline-offset-3 [&_a:hover]:decoration-2",
  "[&_ul]:list-disc [&_ul]:ps-6 [&_ol]:list-decimal [&_ol]:ps-6",
  "[&_blockquote]:border-s-4 [&_blockquote]:border-edge [&_blockquote]:ps-3",
  "[&_pre]:whitespace-pre-wrap [&_code]:font-mono [&_code]:text-[0.9375em]",
  "[&_h3]:text-lg [&_hr]:border-edge",
].join(" ");

/**
 * Gives each block its own direction, because languages may mix. The HTML has no attributes except on links.
 */
const addBlockDirections = (html: string): string =>
  html.replace(/<(p|li|ul|ol|blockquote|h[3-6])(?=[\s>])/g, '<$1 dir="auto"');
