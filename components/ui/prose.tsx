import clsx from "clsx";

type Props = {
  /** HTML that the service made of Markdown and sanitized (lib/design/markdown.ts), and no other. */
  html: string;
  className?: string;
};

/** What people wrote, in the direction of its own language. The only place that puts HTML into a page as it is. */
export function Prose({ html, className }: Props) {
  return (
    <div
      dir="auto"
      className={clsx(PROSE_CLASS, className)}
      dangerouslySetInnerHTML={{ __html: addBlockDirections(html) }}
    />
  );
}

const PROSE_CLASS = [
  "grid max-w-[68ch] min-w-0 gap-2 wrap-anywhere",
  "[&_a]:underline [&_a]:underline-offset-3 [&_a:hover]:decoration-2",
  "[&_ul]:list-disc [&_ul]:ps-6 [&_ol]:list-decimal [&_ol]:ps-6",
  "[&_blockquote]:border-s-4 [&_blockquote]:border-edge [&_blockquote]:ps-3",
  "[&_pre]:whitespace-pre-wrap [&_code]:font-mono [&_code]:text-[0.9375em]",
  "[&_h3]:text-lg [&_hr]:border-edge",
].join(" ");

/** Each block goes in the direction of its own words: languages may mix. The HTML holds no attributes but those of links. */
const addBlockDirections = (html: string): string =>
  html.replace(/<(p|li|ul|ol|blockquote|h[3-6])(?=[\s>])/g, '<$1 dir="auto"');
