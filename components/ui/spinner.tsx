import { LoaderCircle } from "lucide-react";
import { Icon } from "./icon.tsx";

/** Something is under way; the words beside it say what. */
export function Spinner({ label }: { label?: string }) {
  return <Icon as={LoaderCircle} label={label} className="animate-spin" />;
}
