import { loaderCircle } from "#lib/design/glyphs.ts";
import { StaticIcon } from "./glyph.tsx";

/** Something is under way; the words beside it say what. */
export function Spinner({ label }: { label?: string }) {
  return <StaticIcon of={loaderCircle} label={label} className="animate-spin" />;
}
