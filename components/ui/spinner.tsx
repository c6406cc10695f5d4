import { loaderCircleIcon } from "#lib/design/icons.ts";
import { IconWithoutScript } from "./icon-without-script.tsx";

/** A spinner; the text next to it says what is pending. */
export function Spinner() {
  return <IconWithoutScript of={loaderCircleIcon} className="animate-spin" />;
}
