import { loaderCircleIcon } from "#lib/design/icons.ts";
import { StaticIcon } from "./static-icon.tsx";

/** A spinner; the text next to it says what is pending. */
export function Spinner({ label }: { label?: string }) {
  return <StaticIcon of={loaderCircleIcon} label={label} className="animate-spin" />;
}
