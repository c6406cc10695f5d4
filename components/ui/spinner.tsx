import { loaderCircleIcon } from "#lib/design/icons.ts";
import { IconWithoutScript } from "./icon-without-script.tsx";

/** A spinner; the text next to it says what is pending. */
export function Spinner({ label }: { label?: string }) {
  return <IconWithoutScript of={loaderCircleIcon} label={label} className="animate-spin" />;
}
