import type { MouseEventHandler, ReactNode } from "react";
import { useTranslator } from "#words";
import { buttonClass } from "#components/ui/button-class.ts";
import { StaticIcon } from "#components/ui/glyph.tsx";
import { logOut } from "#lib/design/glyphs.ts";

type Props = {
  /** Short name of the event that chose where it leads; without one it leads where most events lead. */
  event: string | null;
  /** Keeps clear of the bar of the signed-in pages, whose menu stands in the same corner. */
  belowBar?: boolean;
  onLeave?: MouseEventHandler;
  /** What it does. It stands in the page: over a small window with large letters it would leave no room for anything else. */
  children: ReactNode;
};

/** The way out, always in sight. A plain link by itself: its address signs out here and leads elsewhere. */
export function QuickExitBar({ event, belowBar = false, onLeave, children }: Props) {
  const t = useTranslator("quickExit");
  return (
    <>
      <div className={`exit-bar no-print ${belowBar ? "xl:top-20" : "xl:top-4"}`}>
        <a
          href={event === null ? "/leave" : `/leave?event=${encodeURIComponent(event)}`}
          rel="noreferrer nofollow"
          data-exit=""
          className={buttonClass("danger")}
          onClick={onLeave}
        >
          <StaticIcon of={logOut} className="max-[19rem]:hidden rtl:-scale-x-100" />
          {t("leave")}
        </a>
      </div>
      <div className="exit-words no-print">{children}</div>
    </>
  );
}

/** An exit for pages without script of their own. */
export function QuickExitLink({ event, belowBar }: Pick<Props, "event" | "belowBar">) {
  const t = useTranslator("quickExit");
  return (
    <QuickExitBar event={event} belowBar={belowBar}>
      <p>{t("leavePlainly", { leave: t("leave") })}</p>
    </QuickExitBar>
  );
}

/** A page and the way out from it, if it has one: as narrow as that there is room for both. */
export function QuickExitLayout({ exit, children }: { exit: ReactNode; children: ReactNode }) {
  return (
    <>
      <div className="[&>.exit-words]:mx-0">{exit}</div>
      <div className={exit ? "pb-28 xl:pe-60 xl:pb-0" : undefined}>{children}</div>
    </>
  );
}
