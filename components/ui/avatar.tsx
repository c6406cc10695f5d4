import clsx from "clsx";
import { onThisSite } from "#lib/design/on-this-site.ts";

type Props = {
  name: string;
  src?: string | null;
  size?: "small" | "medium" | "large";
  /** True where the name stands beside it. */
  decorative?: boolean;
};

/** A picture, or the initials of a name. */
export function Avatar({ name, src, size = "medium", decorative = false }: Props) {
  const look = clsx("inline-grid shrink-0 place-items-center overflow-hidden rounded-full", SIZES[size]);
  if (src)
    return <img src={onThisSite(src)} alt={decorative ? "" : name} className={clsx(look, "object-cover")} />;
  const spoken = decorative ? { "aria-hidden": true } : { role: "img", "aria-label": name };
  return (
    <span
      {...spoken}
      className={clsx(look, "border border-accent/25 bg-accent-soft font-[600] text-accent-hover")}
    >
      {initials(name)}
    </span>
  );
}

const SIZES = { small: "size-7 text-xs", medium: "size-9 text-sm", large: "size-14 text-xl" };

/** The first letters of the first and last word; a question mark for a blank name. */
function initials(name: string): string {
  const words = name.trim().split(/\s+/).filter(Boolean);
  const letters = words.length > 1 ? [words[0]!, words.at(-1)!] : words;
  return letters.map((word) => [...word][0]!.toUpperCase()).join("") || "?";
}
