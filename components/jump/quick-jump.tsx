"use client";

import dynamic from "next/dynamic";
import { type MouseEvent, useState } from "react";
import { useTranslator } from "#i18n";
import { buildButtonClass } from "#components/ui/button.tsx";
import { useDocumentEvent } from "#components/ui/document-event.ts";
import { Icon } from "#components/ui/icon.tsx";
import { isUnmodifiedPrimaryClick } from "#components/ui/unmodified-click.ts";
import { toLatinKeyboardKey } from "#lib/design/latin-key.ts";
import { type RunnableJumpCommand, listJumpCommands } from "./commands.ts";
import type { JumpTarget } from "./targets.ts";

const loadJumpDialog = () => import("./jump-dialog.tsx").then((module) => module.JumpDialog);

/** Loaded when somebody is about to open it. */
const JumpDialog = dynamic(loadJumpDialog, { ssr: false });

/** The quick jump, in the header of every page and at Ctrl/Cmd-K. Without script it links to a page. */
export function QuickJump({ pages }: { pages: readonly JumpTarget[] }) {
  const t = useTranslator("jump");
  const { isRequested, open, commands, change } = useDialogOpening();
  useJumpKey(() => change(!open));

  function show(event: MouseEvent) {
    if (!isUnmodifiedPrimaryClick(event)) return;
    event.preventDefault();
    change(true);
  }

  return (
    <>
      <a
        href="/jump"
        onClick={show}
        onPointerEnter={() => void loadJumpDialog()}
        onFocus={() => void loadJumpDialog()}
        aria-keyshortcuts="Control+K Meta+K"
        aria-label={t("title")}
        className={buildButtonClass("quiet", "px-3 !text-muted hover:!text-ink")}
      >
        <Icon as="search" />
        <span className="hidden lg:inline">{t("open")}</span>
        <kbd dir="ltr" className="hidden rounded-[4px] border border-line px-1.5 text-xs lg:inline">
          ⌃K
        </kbd>
      </a>
      {isRequested && <JumpDialog open={open} onOpenChange={change} pages={pages} commands={commands} />}
    </>
  );
}

/**
 * Tracks whether the dialog is open. Lists the page's commands before it opens, because a command may apply to the
 * element that has the focus until then.
 */
function useDialogOpening() {
  const [isRequested, setIsRequested] = useState(false);
  const [open, setOpen] = useState(false);
  const [commands, setCommands] = useState<readonly RunnableJumpCommand[]>([]);
  function change(isOpen: boolean) {
    if (isOpen) setCommands(listJumpCommands());
    setIsRequested(true);
    setOpen(isOpen);
  }
  return { isRequested, open, commands, change };
}

/** Listens for Ctrl/Cmd-K; the modifier alone already loads the dialog. */
function useJumpKey(toggle: () => void): void {
  useDocumentEvent("keydown", (event) => {
    if (event.key === "Control" || event.key === "Meta") void loadJumpDialog();
    if (!isJumpKey(event)) return;
    event.preventDefault();
    toggle();
  });
}

const isJumpKey = (event: KeyboardEvent): boolean =>
  toLatinKeyboardKey(event).toLowerCase() === "k" &&
  (event.metaKey || event.ctrlKey) &&
  !event.altKey &&
  !event.shiftKey;
