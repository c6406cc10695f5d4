import clsx from "clsx";
import {
  Check,
  ChevronDown,
  ChevronUp,
  ChevronsUp,
  Circle,
  CircleCheckBig,
  CircleDashed,
  Archive,
  Equal,
  Eye,
  Inbox,
  Lock,
  Search,
  TriangleAlert,
} from "lucide-react";
import type { ReactNode } from "react";
import { Icon, type LucideIcon } from "./icon.tsx";

export type BadgeTone = keyof typeof TONE_STYLES;

type Props = {
  tone?: BadgeTone;
  /** Replaces the tone's own icon; null for none. */
  icon?: LucideIcon | null;
  children: ReactNode;
};

/** A label with an icon and a color, so that color is never the only cue. */
export function Badge({ tone = "neutral", icon, children }: Props) {
  const toneStyle = TONE_STYLES[tone];
  const shownIcon = icon === undefined ? toneStyle.icon : icon;
  return (
    <span
      className={clsx(
        "inline-flex max-w-full items-center gap-1.5 rounded-control border border-current/25 px-2 py-0.5 text-sm font-[550]",
        toneStyle.className,
      )}
    >
      {shownIcon && <Icon as={shownIcon} size={16} />}
      <span className="min-w-0">{children}</span>
    </span>
  );
}

const TONE_STYLES = {
  neutral: { className: "bg-sunken text-ink", icon: null },
  accent: { className: "bg-accent-soft text-accent", icon: Circle },
  positive: { className: "bg-positive-soft text-positive", icon: Check },
  caution: { className: "bg-caution-soft text-caution", icon: TriangleAlert },
  danger: { className: "bg-danger-soft text-danger", icon: TriangleAlert },
  internal: { className: "bg-internal-soft text-internal", icon: Lock },
  public: { className: "bg-public-soft text-public", icon: Eye },
  "state-submitted": { className: "bg-state-submitted-soft text-state-submitted", icon: Inbox },
  "state-acknowledged": { className: "bg-state-acknowledged-soft text-state-acknowledged", icon: Eye },
  "state-investigating": { className: "bg-state-investigating-soft text-state-investigating", icon: Search },
  "state-resolved": { className: "bg-state-resolved-soft text-state-resolved", icon: CircleCheckBig },
  "state-closed": { className: "bg-state-closed-soft text-state-closed", icon: Archive },
  "severity-critical": { className: "bg-severity-critical-soft text-severity-critical", icon: ChevronsUp },
  "severity-high": { className: "bg-severity-high-soft text-severity-high", icon: ChevronUp },
  "severity-medium": { className: "bg-severity-medium-soft text-severity-medium", icon: Equal },
  "severity-low": { className: "bg-severity-low-soft text-severity-low", icon: ChevronDown },
  "severity-none": { className: "bg-severity-none-soft text-severity-none", icon: CircleDashed },
} satisfies Record<string, { className: string; icon: LucideIcon | null }>;
