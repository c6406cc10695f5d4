import clsx from "clsx";
import type { MouseEventHandler, ReactNode } from "react";
import { useWords } from "#words";
import { buttonClass } from "#components/ui/button-class.ts";
import { Glyph } from "#components/ui/glyph.tsx";
import { logOut } from "#lib/design/glyphs.ts";

type Props = {
  /** Short name of the event that chose where it leads; without one it leads where most events lead. */
  event: string | null;
  /** Keeps clear of the bar of the signed-in pages, whose menu stands in the same corner. */
  belowBar?: boolean;
  onLeave?: MouseEventHandler;
  children: ReactNode;
};

/** The way out, always in sight. A plain link by itself: its address signs out here and leads elsewhere. */
export function ExitBar({ event, belowBar = false, onLeave, children }: Props) {
  const t = useWords("quickExit");
  return (
    <div
      className={clsx(
        // Side by side on a phone that lies, and where letters are twice as large: what is written needs the height.
        "exit-bar no-print fixed inset-x-0 bottom-0 z-50 grid gap-x-4 gap-y-1 border-t border-line bg-paper px-4 py-2 text-center sm:max-xl:flex sm:max-xl:items-center sm:max-xl:justify-center xl:inset-x-auto xl:end-4 xl:bottom-auto xl:w-60 xl:border-0 xl:bg-transparent xl:p-0",
        belowBar ? "xl:top-20" : "xl:top-4",
      )}
    >
      <a
        href={event === null ? "/leave" : `/leave?event=${encodeURIComponent(event)}`}
        rel="noreferrer nofollow"
        data-exit=""
        className={buttonClass("danger", "w-full sm:max-xl:w-auto sm:max-xl:shrink-0")}
        onClick={onLeave}
      >
        <Glyph of={logOut} className="rtl:-scale-x-100" />
        {t("leave")}
      </a>
      {children}
    </div>
  );
}

/** An exit for pages without script of their own. */
export function PlainExit({ event }: Pick<Props, "event">) {
  const t = useWords("quickExit");
  return (
    <ExitBar event={event}>
      <p className="text-sm text-muted">{t("leavePlainly")}</p>
    </ExitBar>
  );
}
