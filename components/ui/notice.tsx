import clsx from "clsx";
import { CircleAlert, CircleCheck, Info, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { Icon } from "./icon.tsx";
import { VisuallyHidden } from "./visually-hidden.tsx";

export type NoticeKind = "info" | "success" | "warning" | "danger";

type Props = {
  kind?: NoticeKind;
  title?: string;
  /** True where it appears in answer to something the person did: it is then read out at once. */
  live?: boolean;
  className?: string;
  children?: ReactNode;
};

/** A quiet block that tells something about the page or about what was just done. */
export function Notice({ kind = "info", title, live = false, className, children }: Props) {
  const looks = KINDS[kind];
  const role = live ? (kind === "danger" || kind === "warning" ? "alert" : "status") : undefined;
  return (
    <div
      role={role}
      className={clsx("flex gap-3 rounded-surface border border-current/25 p-4", looks.className, className)}
    >
      <Icon as={looks.icon} className="mt-0.5" />
      <div className="grid min-w-0 max-w-[68ch] gap-1 text-ink">
        <VisuallyHidden>{looks.word}</VisuallyHidden>
        {title && <p className="font-[650]">{title}</p>}
        {children}
      </div>
    </div>
  );
}

const KINDS = {
  info: { className: "bg-sunken text-muted", icon: Info, word: "Note:" },
  success: { className: "bg-positive-soft text-positive", icon: CircleCheck, word: "Done:" },
  warning: { className: "bg-caution-soft text-caution", icon: TriangleAlert, word: "Take care:" },
  danger: { className: "bg-danger-soft text-danger", icon: CircleAlert, word: "Problem:" },
} satisfies Record<NoticeKind, { className: string; icon: typeof Info; word: string }>;
