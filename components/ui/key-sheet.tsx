"use client";

import { useTranslator } from "#words";
import { buttonClass } from "./button-class.ts";
import { KeyDialog } from "./key-dialog.tsx";

type Props = {
  /** Where its keys hold; elsewhere others do. */
  where: "list" | "report";
  /** What is pressed, and what it does. */
  rows: readonly { pressed: readonly string[]; does: string }[];
  /** Single keys do something. */
  on: boolean;
  /** The path and query of this page, to come back to. */
  here: string;
  /** Keeps the choice on this device; its form holds `prefer`, `value` and `path`. */
  onPrefer: (form: FormData) => Promise<void>;
  onClose: () => void;
};

/** The keys of a page, and the switch that turns single keys off for those whom they get in the way of (WCAG 2.1.4). */
export function KeySheet({ where, rows, on, here, onPrefer, onClose }: Props) {
  const t = useTranslator("keySheet");
  return (
    <KeyDialog title={t("title")} toRead onClose={onClose}>
      {!on && <p className="pb-2 text-muted">{t("areOff")}</p>}
      <h3 className="pb-2 font-[650]">{t(`where.${where}`)}</h3>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-5 gap-y-1.5 pb-4">
        {rows.map(({ pressed, does }) => (
          <div key={does} className="contents">
            <dt className="flex gap-1">
              {pressed.map((key) => (
                <KeyCap key={key}>{key}</KeyCap>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <p className="pb-4 text-sm text-muted">{t(`elsewhere.${where}`)}</p>
      <form action={onPrefer} className="border-t border-line pt-4">
        <input type="hidden" name="prefer" value="keys" />
        <input type="hidden" name="path" value={here} />
        <button type="submit" name="value" value={on ? "off" : "on"} className={buttonClass("secondary")}>
          {t(on ? "turnOff" : "turnOn")}
        </button>
        <p className="pt-2 text-sm text-muted">{t("about")}</p>
      </form>
    </KeyDialog>
  );
}

export function KeyCap({ children }: { children: string }) {
  return (
    <kbd dir="ltr" className="rounded-control border border-edge bg-sunken px-1.5 py-0.5 text-sm">
      {children}
    </kbd>
  );
}
