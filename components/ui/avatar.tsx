import clsx from "clsx";
import { toRelativeUrl } from "#lib/design/relative-url.ts";

type Props = {
  name: string;
  src?: string | null;
  size?: "small" | "medium" | "large";
};

/** A person's picture, or the initials of their name, beside the name. */
export function Avatar({ name, src, size = "medium" }: Props) {
  const avatarClass = clsx(
    "inline-grid shrink-0 place-items-center overflow-hidden rounded-full",
    SIZE_CLASSES[size],
  );
  if (src) return <img src={toRelativeUrl(src)} alt="" className={clsx(avatarClass, "object-cover")} />;
  return (
    <span
      aria-hidden
      className={clsx(avatarClass, "border border-accent/25 bg-accent-soft font-[600] text-accent-hover")}
    >
      {getInitials(name)}
    </span>
  );
}

const SIZE_CLASSES = { small: "size-7 text-xs", medium: "size-9 text-sm", large: "size-14 text-xl" };

/** Returns the first letters of the first and last word; a question mark for a blank name. */
function getInitials(name: string): string {
  const nameParts = name.trim().split(/\s+/).filter(Boolean);
  const letters = nameParts.length > 1 ? [nameParts[0]!, nameParts.at(-1)!] : nameParts;
  return letters.map((word) => [...word][0]!.toUpperCase()).join("") || "?";
}
