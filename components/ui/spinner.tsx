import { loaderCircle } from "#lib/design/glyphs.ts";
import { StaticIcon } from "./glyph.tsx";

/** A spinner; the text next to it says what is pending. */
export function Spinner({ label }: { label?: string }) {
  return <StaticIcon of={loaderCircle} label={label} className="animate-spin" />;
}
