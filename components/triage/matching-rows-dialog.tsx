"use client";

import { Button } from "#components/ui/button.tsx";
import { InitiallyOpenDialog } from "#components/ui/modal-dialog.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { useTranslator } from "#i18n";
import type {
  MatchingRowsActionRequest,
  MatchingRowsActionProgressData,
  useMatchingRowsAction,
} from "./use-matching-rows-action.ts";

/** How many of the unchanged rows are named. */
const MAX_NAMED_FAILURES = 20;

/** A bulk action on all matching rows: confirmation, progress and result. */
export function MatchingRowsActionDialog({
  requested,
  gone,
  go,
  cancel,
  stop,
  forget,
}: ReturnType<typeof useMatchingRowsAction>) {
  return (
    <>
      {requested && <BulkRunConfirmation requested={requested} onGo={go} onCancel={cancel} />}
      {gone &&
        (gone.end ? (
          <BulkRunResult gone={gone} onClose={forget} />
        ) : (
          <BulkRunProgress gone={gone} onStop={stop} />
        ))}
    </>
  );
}

type QuestionProps = { requested: MatchingRowsActionRequest; onGo: () => void; onCancel: () => void };

function BulkRunConfirmation({ requested, onGo, onCancel }: QuestionProps) {
  const t = useTranslator("inboxClient");
  return (
    <InitiallyOpenDialog title={t("all.ask", { count: requested.total })} onClose={onCancel}>
      <p className="pb-4">{t(`all.what.${requested.action.do as "assign" | "acknowledge" | "severity"}`)}</p>
      <div className="flex flex-wrap gap-3">
        <Button variant="primary" onClick={onGo}>
          {t("all.go")}
        </Button>
        <Button onClick={onCancel}>{t("all.cancel")}</Button>
      </div>
    </InitiallyOpenDialog>
  );
}

function BulkRunProgress({ gone, onStop }: { gone: MatchingRowsActionProgressData; onStop: () => void }) {
  const t = useTranslator("inboxClient");
  return (
    <div
      role="status"
      className="flex min-h-11 w-fit flex-wrap items-center gap-3 rounded-surface border border-edge bg-surface px-4 shadow-lg"
    >
      {t("all.progress", { done: gone.done + gone.failed.length, total: gone.total })}
      <button type="button" className="text-link min-h-11 px-2" onClick={onStop}>
        {t("all.stop")}
      </button>
    </div>
  );
}

function BulkRunResult({ gone, onClose }: { gone: MatchingRowsActionProgressData; onClose: () => void }) {
  const t = useTranslator("inboxClient");
  const { done, failed, end = "complete" } = gone;
  const namedFailures = failed.slice(0, MAX_NAMED_FAILURES);
  return (
    <Notice
      kind={end === "complete" && failed.length === 0 ? "success" : "warning"}
      live
      title={t("all.done", { count: done })}
    >
      {end !== "complete" && <p>{t(`all.${end}`)}</p>}
      {failed.length > 0 && <p className="font-[650]">{t("failed", { count: failed.length })}</p>}
      <ul className="grid max-h-60 gap-1 overflow-y-auto">
        {namedFailures.map(({ id, title, why }) => (
          <li key={id} className="wrap-anywhere">
            {t("failedRow", { title, why: t(`why.${why}`) })}
          </li>
        ))}
        {failed.length > namedFailures.length && (
          <li>{t("all.others", { count: failed.length - namedFailures.length })}</li>
        )}
      </ul>
      <Button onClick={onClose}>{t("all.close")}</Button>
    </Notice>
  );
}
