"use client";

import { useTranslator } from "#i18n";
import { buildButtonClass } from "./button-class.ts";
import { InitiallyOpenDialog } from "./modal-dialog.tsx";

type Props = {
  /** The kind of page whose shortcuts it lists. */
  where: "list" | "report";
  /** Keys, and what they do. */
  rows: readonly { pressed: readonly string[]; does: string }[];
  /** Whether single-key shortcuts are on. */
  on: boolean;
  /** Path and query of this page, to return to. */
  here: string;
  /** Saves the setting; its form holds `prefer`, `value` and `path`. */
  onPrefer: (form: FormData) => Promise<void>;
  onClose: () => void;
};

/** The keyboard shortcuts of a page, and the switch that turns single-key shortcuts off (WCAG 2.1.4). */
export function KeyboardShortcutsDialog({ where, rows, on, here, onPrefer, onClose }: Props) {
  const t = useTranslator("keySheet");
  return (
    <InitiallyOpenDialog title={t("title")} toRead onClose={onClose}>
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
        <button
          type="submit"
          name="value"
          value={on ? "off" : "on"}
          className={buildButtonClass("secondary")}
        >
          {t(on ? "turnOff" : "turnOn")}
        </button>
        <p className="pt-2 text-sm text-muted">{t("about")}</p>
      </form>
    </InitiallyOpenDialog>
  );
}

function KeyCap({ children }: { children: string }) {
  return (
    <kbd dir="ltr" className="rounded-control border border-edge bg-sunken px-1.5 py-0.5 text-sm">
      {children}
    </kbd>
  );
}
