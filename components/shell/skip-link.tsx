import type { MouseEventHandler } from "react";
import { useTranslator } from "#i18n";
import { MAIN_CONTENT_ELEMENT_ID } from "./content-focus.ts";

type Props = {
  /** Handles a press, in frames that are client components; without a handler, the link follows its fragment. */
  onClick?: MouseEventHandler;
};

/** The first tab stop of every page. */
export function SkipLink({ onClick }: Props) {
  const t = useTranslator("frame");
  return (
    <a
      href={`#${MAIN_CONTENT_ELEMENT_ID}`}
      onClick={onClick}
      className="no-print absolute start-4 top-2 z-50 -translate-y-24 rounded-control bg-accent px-4 py-2.5 font-[550] text-accent-ink focus:translate-y-0"
    >
      {t("skip")}
    </a>
  );
}
