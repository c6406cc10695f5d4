import type { ReactNode } from "react";
import { buildButtonClass } from "#components/ui/button-class.ts";
import { IconWithoutScript } from "#components/ui/icon-without-script.tsx";
import { ProgressBar } from "#components/ui/progress.tsx";
import { Spinner } from "#components/ui/spinner.tsx";
import { arrowLeftIcon } from "#lib/design/icons.ts";
import { useTranslator } from "#i18n";
import { useReportStepContext } from "./report-steps.ts";
import type { RunningReportUpload } from "./send-report.ts";

/** The buttons that lead to the next step or send the report. */
export function ReportStepButtons({
  sending,
  plainly,
}: {
  sending: RunningReportUpload | null;
  plainly: ReactNode;
}) {
  const t = useTranslator("reportForm");
  const { stepped, step, checked, at, back } = useReportStepContext();
  const last = !stepped || step === "check";
  return (
    <div className="grid gap-4">
      {!stepped && plainly}
      <div className="flex flex-wrap-reverse items-center gap-3">
        {stepped && at > 0 && <PreviousStepButton disabled={sending !== null} onClick={back} />}
        <button
          type="submit"
          aria-disabled={sending !== null || undefined}
          aria-busy={sending !== null || undefined}
          className={buildButtonClass("primary", "max-sm:grow-[2] sm:px-6 sm:text-lg")}
        >
          {sending && <Spinner />}
          {last ? t(sending ? "sending" : "send") : t(checked ? "toCheck" : at === 0 ? "start" : "next")}
          {!last && <IconWithoutScript of={arrowLeftIcon} className="-scale-x-100 rtl:scale-x-100" />}
        </button>
      </div>
      {sending && <UploadProgress sending={sending} />}
      <p role="status" className="sr-only">
        {sending && t("sendingLong")}
      </p>
    </div>
  );
}

function PreviousStepButton({ disabled, onClick }: { disabled: boolean; onClick: () => void }) {
  const t = useTranslator("reportForm");
  return (
    <button
      type="button"
      disabled={disabled}
      className={buildButtonClass("secondary", "max-sm:grow")}
      onClick={onClick}
    >
      <IconWithoutScript of={arrowLeftIcon} className="rtl:-scale-x-100" />
      {t("back")}
    </button>
  );
}

/**
 * Upload progress, and a cancel button that is disabled for the first second, so that a double press on Send
 * doesn't cancel. Its space is reserved from the start, so that nothing moves under a finger.
 */
function UploadProgress({ sending }: { sending: RunningReportUpload }) {
  const t = useTranslator("reportForm");
  return (
    <>
      <ProgressBar label={t("onItsWay")} value={sending.share} max={1} />
      <button type="button" className={buildButtonClass("quiet", "armed-late")} onClick={sending.stop}>
        {t("stop")}
      </button>
    </>
  );
}
