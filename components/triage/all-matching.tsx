"use client";

import { Button } from "#components/ui/button.tsx";
import { KeyDialog } from "#components/ui/key-dialog.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { useWords } from "#words";
import type { AllAsked, AllGone, useAll } from "./use-all.ts";

/** So many of those that stayed as they were are named. */
const MOST_NAMED = 20;

/** One deed on all that match: the question before it, how far it is, and what became of it. */
export function AllMatching({ asked, gone, go, cancel, stop, forget }: ReturnType<typeof useAll>) {
  return (
    <>
      {asked && <Question asked={asked} onGo={go} onCancel={cancel} />}
      {gone && (gone.end ? <Ended gone={gone} onClose={forget} /> : <Going gone={gone} onStop={stop} />)}
    </>
  );
}

type QuestionProps = { asked: AllAsked; onGo: () => void; onCancel: () => void };

function Question({ asked, onGo, onCancel }: QuestionProps) {
  const t = useWords("inboxClient");
  return (
    <KeyDialog title={t("all.ask", { count: asked.total })} onClose={onCancel}>
      <p className="pb-4">{t(`all.what.${asked.deed.do as "assign" | "acknowledge" | "severity"}`)}</p>
      <div className="flex flex-wrap gap-3">
        <Button variant="primary" onClick={onGo}>
          {t("all.go")}
        </Button>
        <Button onClick={onCancel}>{t("all.cancel")}</Button>
      </div>
    </KeyDialog>
  );
}

function Going({ gone, onStop }: { gone: AllGone; onStop: () => void }) {
  const t = useWords("inboxClient");
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

function Ended({ gone, onClose }: { gone: AllGone; onClose: () => void }) {
  const t = useWords("inboxClient");
  const { done, failed, end = "complete" } = gone;
  const named = failed.slice(0, MOST_NAMED);
  return (
    <Notice
      kind={end === "complete" && failed.length === 0 ? "success" : "warning"}
      live
      title={t("all.done", { count: done })}
    >
      {end !== "complete" && <p>{t(`all.${end}`)}</p>}
      {failed.length > 0 && <p className="font-[650]">{t("failed", { count: failed.length })}</p>}
      <ul className="grid max-h-60 gap-1 overflow-y-auto">
        {named.map(({ id, title, why }) => (
          <li key={id} className="wrap-anywhere">
            {t("failedRow", { title, why: t(`why.${why}`) })}
          </li>
        ))}
        {failed.length > named.length && <li>{t("all.others", { count: failed.length - named.length })}</li>}
      </ul>
      <Button onClick={onClose}>{t("all.close")}</Button>
    </Notice>
  );
}
