"use client";

import clsx from "clsx";
import type { ReactNode } from "react";
import { Icon, type IconName } from "./icon.tsx";

export type BadgeTone = keyof typeof TONE_STYLES;

type Props = {
  tone?: BadgeTone;
  /** Replaces the tone's own icon; null for none. */
  icon?: IconName | null;
  children: ReactNode;
};

/** A label with an icon and a color, so that color is never the only cue. */
export function Badge({ tone = "neutral", icon, children }: Props) {
  const toneStyle = TONE_STYLES[tone];
  const shownIcon = icon === undefined ? toneStyle.icon : icon;
  return (
    <span className={clsx("badge", toneStyle.className)}>
      {shownIcon && <Icon as={shownIcon} size={16} />}
      <span className="min-w-0">{children}</span>
    </span>
  );
}

const TONE_STYLES = {
  neutral: { className: "bg-sunken text-ink", icon: null },
  accent: { className: "bg-accent-soft text-accent", icon: "circle" },
  positive: { className: "bg-positive-soft text-positive", icon: "check" },
  caution: { className: "bg-caution-soft text-caution", icon: "triangle-exclamation-point" },
  danger: { className: "bg-danger-soft text-danger", icon: "triangle-exclamation-point" },
  internal: { className: "bg-internal-soft text-internal", icon: "lock" },
  public: { className: "bg-public-soft text-public", icon: "eye" },
  "state-submitted": { className: "bg-state-submitted-soft text-state-submitted", icon: "inbox" },
  "state-acknowledged": { className: "bg-state-acknowledged-soft text-state-acknowledged", icon: "eye" },
  "state-investigating": {
    className: "bg-state-investigating-soft text-state-investigating",
    icon: "search",
  },
  "state-resolved": { className: "bg-state-resolved-soft text-state-resolved", icon: "circle-check-big" },
  "state-closed": { className: "bg-state-closed-soft text-state-closed", icon: "archive" },
  "severity-critical": { className: "bg-severity-critical-soft text-severity-critical", icon: "chevrons-up" },
  "severity-high": { className: "bg-severity-high-soft text-severity-high", icon: "chevron-up" },
  "severity-medium": { className: "bg-severity-medium-soft text-severity-medium", icon: "equal" },
  "severity-low": { className: "bg-severity-low-soft text-severity-low", icon: "chevron-down" },
  "severity-none": { className: "bg-severity-none-soft text-severity-none", icon: "circle-dashed" },
} satisfies Record<string, { className: string; icon: IconName | null }>;
