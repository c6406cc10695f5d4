import type { MouseEventHandler, ReactNode } from "react";
import { useTranslator } from "#i18n";
import { buildButtonClass } from "#components/ui/button-class.ts";
import { IconWithoutScript } from "#components/ui/icon-without-script.tsx";
import { logOutIcon } from "#lib/design/icons.ts";

type Props = {
  /** Slug of the event that chose the exit URL; null for the default URL. */
  event: string | null;
  /** Positioned below the header bar of the signed-in pages, whose menu is in the same corner. */
  belowBar?: boolean;
  onLeave?: MouseEventHandler;
  /**
   * Explanation of what it does. It is in the page flow, because on a small window with large text it would
   * cover everything else.
   */
  children: ReactNode;
};

/** The quick exit, always visible. A plain link: its address signs out on this device and redirects away. */
export function QuickExitBar({ event, belowBar = false, onLeave, children }: Props) {
  const t = useTranslator("quickExit");
  return (
    <>
      <div className={`exit-bar no-print ${belowBar ? "xl:top-20" : "xl:top-4"}`}>
        <a
          href={event === null ? "/leave" : `/leave?event=${encodeURIComponent(event)}`}
          rel="nofollow"
          referrerPolicy="same-origin"
          data-exit=""
          className={buildButtonClass("danger")}
          onClick={onLeave}
        >
          <IconWithoutScript of={logOutIcon} className="max-[19rem]:hidden rtl:-scale-x-100" />
          {t("leave")}
        </a>
      </div>
      <div className="exit-text no-print">{children}</div>
    </>
  );
}

/** A quick exit for pages without script of their own. */
export function QuickExitBarWithoutScript({ event, belowBar }: Pick<Props, "event" | "belowBar">) {
  const t = useTranslator("quickExit");
  return (
    <QuickExitBar event={event} belowBar={belowBar}>
      <p>{t("leavePlainly", { leave: t("leave") })}</p>
    </QuickExitBar>
  );
}

/** A page with its quick exit, if it has one; the page narrows to leave room for it. */
export function QuickExitLayout({ exit, children }: { exit: ReactNode; children: ReactNode }) {
  return (
    <div className="flex flex-col [&>.exit-text]:mx-0">
      {exit}
      <div className={exit ? "pb-28 xl:pe-60 xl:pb-0" : undefined}>{children}</div>
    </div>
  );
}
