"use client";

import { useState } from "react";
import { useTranslator } from "#i18n";
import { Notice } from "#components/ui/notice.tsx";
import { useRegisterJumpCommands } from "#components/jump/commands.ts";
import { MatchingRowsActionDialog } from "./matching-rows-dialog.tsx";
import { type BulkActionDialogState, BulkActionInputDialog } from "./bulk-action-dialog.tsx";
import { type BulkFormData, BulkForm } from "./bulk-form.tsx";
import { InboxKeyboardShortcutsDialog } from "./list-shortcuts-dialog.tsx";
import { type InboxContextValue, listActionTargetRows, useInbox } from "./inbox-state.tsx";
import { useClientListNavigation, useLastViewedRowFocus } from "./list-navigation.ts";
import type { InboxRowData } from "./row-data.ts";
import { listRowActionJumpCommands } from "./row-commands.ts";
import { useSearchFieldFocus } from "./search-field.ts";
import { buildRowShortcutCommands, useInboxShortcuts } from "./shortcuts.ts";
import { useMatchingRowsAction } from "./use-matching-rows-action.ts";
import { useTriageVocabulary } from "./vocabulary.ts";
import { type DisplayedBulkActionResult, useBulkActions } from "./use-bulk-actions.ts";

type Props = {
  actorId: string;
  /** Whether single-key shortcuts are on. */
  keys: boolean;
  /** Path and query of this page, to return to. */
  here: string;
  bulk: BulkFormData;
};

/** Bulk form, dialogs, keyboard shortcuts and undo of the list, all without leaving the page. */
export function TriageInteractions({ actorId, keys, here, bulk }: Props) {
  const t = useTranslator("inboxClient");
  const vocabulary = useTriageVocabulary();
  const inbox = useInbox();
  const { perform, undoLast, ...bulkActions } = useBulkActions();
  const bulkRun = useMatchingRowsAction();
  const { actionChoice, choose, changeMode, close } = useActionChoice(inbox);
  const [isKeySheetOpen, setIsKeySheetOpen] = useState(false);
  const search = useSearchFieldFocus(here, inbox);
  const rowCommands = buildRowShortcutCommands({ inbox, perform, choose });
  const pageCommands = { "/": search.enter, "?": () => setIsKeySheetOpen(true), z: undoLast };
  useInboxShortcuts({ keys, commands: { ...rowCommands, ...pageCommands }, leaveSearch: search.leave });
  useRegisterJumpCommands(() => listRowActionJumpCommands({ inbox, perform, choose, vocabulary, t }));
  useClientListNavigation(here);
  useLastViewedRowFocus(inbox);

  return (
    <>
      <BulkResultToast {...bulkActions} onUndo={undoLast} />
      <MatchingRowsActionDialog {...bulkRun} />
      <BulkForm data={bulk} perform={perform} confirmRun={bulkRun.ask} />
      {actionChoice && (
        <BulkActionInputDialog
          {...actionChoice}
          actorId={actorId}
          onChoose={changeMode}
          onClose={close}
          onAction={(action) => {
            close();
            perform(action, actionChoice.rows);
          }}
        />
      )}
      {isKeySheetOpen && (
        <InboxKeyboardShortcutsDialog keys={keys} here={here} onClose={() => setIsKeySheetOpen(false)} />
      )}
    </>
  );
}

/** Tracks the action whose input is asked for, and its rows. */
function useActionChoice(inbox: InboxContextValue) {
  const [actionChoice, setActionChoice] = useState<BulkActionDialogState>();

  const choose = (
    mode: BulkActionDialogState["mode"],
    rows: readonly InboxRowData[] = listActionTargetRows(inbox),
  ) => {
    if (rows.length > 0) setActionChoice({ mode, rows });
  };

  const changeMode = (mode: BulkActionDialogState["mode"]) =>
    setActionChoice((choice) => choice && { ...choice, mode });

  // A modal dialog traps the focus, so it closes before the row gets the focus back.
  const close = () => {
    document.querySelector<HTMLDialogElement>("dialog[open]")?.close();
    setActionChoice(undefined);
    inbox.focusRow(actionChoice?.rows[0]?.id);
  };

  return { actionChoice, choose, changeMode, close };
}

/** Classes of a note that floats over the list, so that no row moves. */
const PILL_CLASS =
  "flex min-h-11 w-fit items-center gap-2 rounded-surface border border-edge bg-surface px-4 shadow-lg";

type ToastProps = {
  result: DisplayedBulkActionResult;
  pending: boolean;
  canUndo: boolean;
  onUndo: () => void;
};

/** The result of an action, with Undo, and the rows it failed for. */
function BulkResultToast({ result, pending, canUndo, onUndo }: ToastProps) {
  const t = useTranslator("inboxClient");
  const { text, failures } = result;
  const partly = !pending && failures.length > 0;
  const undo = !pending && text && canUndo && (
    <button type="button" className="text-link min-h-11 px-2" onClick={onUndo}>
      {t("undo")}
    </button>
  );
  return (
    <>
      <div role="status" className={pending || (text && !partly) ? PILL_CLASS : undefined}>
        {pending ? t("working") : !partly && text}
        {!partly && undo}
      </div>
      {partly && (
        <Notice kind="warning" live title={text || t("failed", { count: failures.length })}>
          {undo && <div className="-ms-2">{undo}</div>}
          <ul className="grid gap-1">
            {failures.map(({ title, why }, at) => (
              <li key={`${at} ${title}`} className="wrap-anywhere">
                {t("failedRow", { title, why: t(`why.${why}`) })}
              </li>
            ))}
          </ul>
        </Notice>
      )}
    </>
  );
}
