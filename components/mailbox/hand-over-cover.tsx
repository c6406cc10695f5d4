"use client";

import { type ReactNode, useEffect, useRef, useState } from "react";
import { PageCover } from "#components/shell/page-cover.tsx";
import { reloadWithoutPrompt } from "#components/shell/reload-page.ts";
import { Button } from "#components/ui/button.tsx";
import { buildButtonClass } from "#components/ui/button-class.ts";
import { useLockedDialog } from "#components/ui/locked-dialog.ts";
import { watchForUnusedPage } from "./unused-page.ts";

/** How long the words stay on the screen of a device that nobody uses. */
const UNUSED_LIMIT_MS = 10 * 60_000;

/**
 * `show` labels the button that shows the words again; `gone` says how the reporter gets to their report once the words
 * can't be shown again, and `team` labels the link with which the team signs in.
 */
type HandOverCoverTexts = Record<"title" | "text" | "show" | "gone" | "team", string>;

type Props = {
  /** How long the service goes on showing the words on this device, in milliseconds. */
  shownForMs: number;
  texts: HandOverCoverTexts;
  /** The page with the words. */
  children: ReactNode;
};

/**
 * Removes the words from the page of a team member's device and covers it, once nobody has used the page for ten
 * minutes, or as soon as the page comes back from the back/forward cache. Only the service can show the words again,
 * and only for `shownForMs`.
 */
export function HandOverCover({ shownForMs, texts, children }: Props) {
  // The clock of this device may be wrong, so the service says how long instead of until when.
  const [shownUntil] = useState(() => Date.now() + shownForMs);
  const [isCovered, setIsCovered] = useState(false);
  useEffect(() => watchForUnusedPage(UNUSED_LIMIT_MS, () => setIsCovered(true)), []);
  useEffect(() => {
    if (isCovered) removeInlineScripts();
    return removeInlineScripts;
  }, [isCovered]);
  return isCovered ? <Cover shownUntil={shownUntil} texts={texts} /> : children;
}

/** Removes the scripts that carried the content of this page, and with it the words, to the browser; they have run. */
function removeInlineScripts(): void {
  for (const script of document.querySelectorAll("script:not([src])")) script.remove();
}

type CoverProps = { shownUntil: number; texts: HandOverCoverTexts };

function Cover({ shownUntil, texts }: CoverProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const isShowable = useIsBefore(shownUntil);
  useLockedDialog(dialog, true);
  return (
    <PageCover ref={dialog} title={texts.title}>
      <p>{texts.text}</p>
      {!isShowable && <p className="wrap-anywhere">{texts.gone}</p>}
      <div className="flex flex-wrap gap-3">
        {isShowable ? (
          <Button variant="primary" onClick={reloadWithoutPrompt}>
            {texts.show}
          </Button>
        ) : (
          <a href="/inbox" className={buildButtonClass()}>
            {texts.team}
          </a>
        )}
      </div>
    </PageCover>
  );
}

/** Returns whether it is earlier than a time in milliseconds, and renders again once it no longer is. */
function useIsBefore(end: number): boolean {
  const [isBefore, setIsBefore] = useState(() => Date.now() < end);
  useEffect(() => {
    if (!isBefore) return;
    const timer = setTimeout(() => setIsBefore(false), Math.max(0, end - Date.now()));
    return () => clearTimeout(timer);
  }, [end, isBefore]);
  return isBefore;
}
