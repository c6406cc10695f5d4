import type { MouseEventHandler } from "react";
import { useTranslator } from "#words";
import { CONTENT_ID } from "./go-to-content.ts";

type Props = {
  /** For frames of the browser's; without it, it is a link within the page. */ onClick?: MouseEventHandler;
};

/** The first stop of the tab key on every page. */
export function SkipLink({ onClick }: Props) {
  const t = useTranslator("shell");
  return (
    <a
      href={`#${CONTENT_ID}`}
      onClick={onClick}
      className="no-print absolute start-4 top-2 z-50 -translate-y-24 rounded-control bg-accent px-4 py-2.5 font-[550] text-accent-ink focus:translate-y-0"
    >
      {t("skip")}
    </a>
  );
}
