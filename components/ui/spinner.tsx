import { loaderCircle } from "#lib/design/glyphs.ts";
import { Glyph } from "./glyph.tsx";

/** Something is under way; the words beside it say what. */
export function Spinner({ label }: { label?: string }) {
  return <Glyph of={loaderCircle} label={label} className="animate-spin" />;
}
