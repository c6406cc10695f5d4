import { LINK_REL, splitLinkedText } from "#lib/design/linked-text.ts";

/** Text as a person wrote it: with its line breaks, each line in its own direction, and its addresses as links. */
export function UserText({ as: Tag = "p", children }: { as?: "p" | "span"; children: string | null }) {
  return (
    <Tag dir="auto" className="max-w-[68ch] whitespace-pre-wrap wrap-anywhere [unicode-bidi:plaintext]">
      {splitLinkedText(children ?? "").map(({ text, href }, at) =>
        href ? (
          <a key={at} href={href} rel={LINK_REL} className="text-link">
            {text}
          </a>
        ) : (
          text
        ),
      )}
    </Tag>
  );
}
