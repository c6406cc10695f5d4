import clsx from "clsx";
import type { ReactNode } from "react";
import { useTranslator } from "#i18n";
import { Icon, type IconName } from "./icon.tsx";
import { VisuallyHidden } from "./visually-hidden.tsx";

export type NoticeKind = "info" | "success" | "warning" | "danger";

type Props = {
  kind?: NoticeKind;
  title?: string;
  /** Whether it appears in response to an action; screen readers then announce it at once. */
  live?: boolean;
  className?: string;
  children?: ReactNode;
};

/** A quiet block with information about the page or the last action. */
export function Notice({ kind = "info", title, live = false, className, children }: Props) {
  const t = useTranslator("ui");
  const kindStyle = KIND_STYLES[kind];
  const role = live ? (kind === "danger" || kind === "warning" ? "alert" : "status") : undefined;
  return (
    <div
      role={role}
      className={clsx(
        "flex gap-3 rounded-surface border border-current/25 p-4",
        kindStyle.className,
        className,
      )}
    >
      <Icon as={kindStyle.icon} className="mt-0.5" />
      <div className="grid min-w-0 max-w-[68ch] gap-1 text-ink">
        <VisuallyHidden>{t(`notice.${kind}`)}</VisuallyHidden>
        {title && <p className="font-[650]">{title}</p>}
        {children}
      </div>
    </div>
  );
}

const KIND_STYLES = {
  info: { className: "bg-sunken text-muted", icon: "info" },
  success: { className: "bg-positive-soft text-positive", icon: "circle-check" },
  warning: { className: "bg-caution-soft text-caution", icon: "triangle-exclamation-point" },
  danger: { className: "bg-danger-soft text-danger", icon: "circle-exclamation-point" },
} satisfies Record<NoticeKind, { className: string; icon: IconName }>;
