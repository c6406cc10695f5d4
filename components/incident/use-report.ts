import { type FormEvent, useLayoutEffect, useRef, useState } from "react";
import { fetchSignedInUserId } from "#components/shell/signed-in-account.ts";
import { useHydrated } from "#components/ui/use-hydrated.ts";
import { type FormState, collectRestorableFormValues, INITIAL_FORM_STATE } from "#lib/design/form-state.ts";
import { convertZonedTimeToUtc } from "#lib/wall-clock.ts";
import { useTranslator } from "#i18n";
import { type ChosenFilesState, useFilesProblemFinder, useChosenFiles } from "./chosen-files.tsx";
import { useReportDraft } from "./report-draft.tsx";
import type { ReportFormLimits } from "./report-form.tsx";
import { hasTypedText, useOtherFormSubmitGuard, useOutgoingLinkGuard } from "./report-guards.ts";
import { buildReportErrorState, findReportTextProblems } from "./report-problems.ts";
import { type ReportFormStepName, findStepWithField, useReportStepNavigation } from "./report-steps.ts";
import { type RunningReportUpload, sendReport } from "./send-report.ts";
import { deleteDraftsAndReplacePage, takeHandedOverDraft, writeStoredReportDraft } from "./traces.ts";

/** A report that is being written: its texts, files, draft and current step. */
export type ReportFormState = ReturnType<typeof useReportFormState>;

type ReportFormOptions = {
  /** State of a form that was posted without script and refused. */
  returned: FormState | null;
  /** Storage key of this device's draft. */
  draftName: string;
  eventZone: string | null;
};

export function useReportFormState({ returned, draftName, eventZone }: ReportFormOptions) {
  const fields = useReportFields(returned);
  const files = useChosenFiles();
  const draft = useReportDraft(draftName);
  const steps = useReportStepNavigation(
    returned ? (findStepWithField(Object.keys(returned.fieldErrors ?? {})) ?? "what") : "start",
  );
  const zone = useTimeZone(eventZone, returned);

  function restoreDraft(values: Record<string, string>, step: ReportFormStepName) {
    fields.restore(values);
    if (step !== "start") steps.go(step);
  }

  const writing = { fields, files, draft, steps, zone, restoreDraft };
  useDraftTransfer(draftName, writing);
  return writing;
}

function useReportFields(returned: FormState | null) {
  const form = useRef<HTMLFormElement>(null);
  const [state, setState] = useState<FormState>(returned ?? INITIAL_FORM_STATE);
  // Increments to recreate the fields when their values are restored.
  const [edition, setEdition] = useState(0);
  // The values that the last step shows.
  const [values, setValues] = useState<Record<string, string>>({});
  const readData = () => new FormData(form.current ?? undefined);

  function restore(restoredValues: Record<string, string>) {
    setState({ ok: false, values: restoredValues });
    setValues(restoredValues);
    setEdition((last) => last + 1);
  }

  const readValues = () => collectRestorableFormValues(readData());
  return { form, state, setState, edition, values, setValues, readData, readValues, restore };
}

/** The event's zone, else the device's; for a time that was entered without script, the zone entered with it. */
function useTimeZone(eventZone: string | null, returned: FormState | null): string {
  const scripted = useHydrated();
  if (eventZone) return eventZone;
  if (!scripted || returned?.values?.incidentAt) return returned?.values?.zone || "UTC";
  return Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
}

/** Hands the draft to the next page of this tab, and restores one that an earlier page has handed over. */
function useDraftTransfer(draftName: string, writing: ReportFormState): void {
  const t = useTranslator("reportForm");
  const { fields, files, draft, steps, restoreDraft } = writing;

  /** Returns false if the user chose to stay. */
  function handOverDraft(): boolean {
    const handedOverDraft = { values: fields.readValues(), step: steps.step, keeps: draft.keeps };
    const wasDraftSaved = writeStoredReportDraft(draftName, handedOverDraft, "sessionStorage");
    return (wasDraftSaved && files.chosen.length === 0) || window.confirm(t("wouldLose"));
  }

  useOtherFormSubmitGuard(fields.form, handOverDraft);
  useOutgoingLinkGuard(() => {
    const wouldLoseInput = files.chosen.length > 0 || (!draft.keeps && hasTypedText(fields.form.current));
    return !wouldLoseInput || window.confirm(t("wouldLose"));
  });
  // A layout effect, so that the form has its text before it can be handed over again.
  useLayoutEffect(() => {
    const handedOverDraft = takeHandedOverDraft(draftName);
    if (!handedOverDraft) return;
    if (handedOverDraft.keeps) draft.take();
    restoreDraft(handedOverDraft.values, handedOverDraft.step as ReportFormStepName);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- once, as the page arrives
  }, [draftName]);
}

type SubmissionOptions = {
  /** Slug of the event. */
  slug: string;
  /** Id of the account that the form was rendered for; null for a report without an account. */
  writer: string | null;
  /** API path that accepts the report. */
  sendPath: string;
  /** Storage key of this device's draft, which is deleted once the report is sent. */
  draftName: string;
  limits: ReportFormLimits;
  /** Fills in a title, unless the person has entered one. */
  suggestTitle: (form: HTMLFormElement) => void;
};

/** Checks each step, goes to the next one, and sends the report from the last. */
export function useReportStepsAndSubmission(options: SubmissionOptions, writing: ReportFormState) {
  const t = useTranslator("reportForm");
  const { fields, steps } = writing;
  const findStepProblems = useStepProblemFinder(options.limits, writing);
  const { sending, wasSendTried, upload } = useReportUpload(options, writing);

  function goToNextStep() {
    const values = fields.readValues();
    const fieldErrors = findStepProblems(steps.step);
    if (Object.keys(fieldErrors).length > 0)
      return fields.setState({ ok: false, error: t("problem.step"), fieldErrors, values });
    fields.setState({ ok: false, values });
    fields.setValues(values);
    steps.go(steps.next);
  }

  function send() {
    const values = fields.readValues();
    const fieldErrors = findStepProblems("check");
    if (Object.keys(fieldErrors).length > 0)
      return showRefusal({ ok: false, error: t("problem.fields"), fieldErrors, values }, writing);
    if (!navigator.onLine) return showRefusal({ ok: false, error: t("problem.offline"), values }, writing);
    void upload(values);
  }

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (sending) return;
    options.suggestTitle(event.currentTarget);
    if (steps.step === "check") send();
    else goToNextStep();
  }

  return { sending, wasSendTried, submit };
}

/** Returns a function that finds the errors of a step without sending anything. */
function useStepProblemFinder(limits: ReportFormLimits, { fields, files }: ReportFormState) {
  const t = useTranslator("reportForm");
  const findFilesProblem = useFilesProblemFinder(limits.files);
  return (step: ReportFormStepName): Record<string, string> => {
    const isLastStep = step === "check";
    const textProblems =
      isLastStep || step === "what" ? findReportTextProblems(fields.readValues(), { t, limits }) : {};
    const fileProblem = isLastStep || step === "files" ? findFilesProblem(files.chosen) : undefined;
    return fileProblem ? { ...textProblems, relatedFiles: fileProblem } : textProblems;
  };
}

/** Shows the reason why the report wasn't sent, in the step with the first field that has an error. */
function showRefusal(refusal: FormState, { fields, steps }: ReportFormState): void {
  fields.setState(refusal);
  const to = findStepWithField(Object.keys(refusal.fieldErrors ?? {}));
  if (steps.scripted && to && to !== steps.step) steps.go(to);
}

function useReportUpload(
  { slug, writer, sendPath, draftName, limits }: SubmissionOptions,
  writing: ReportFormState,
) {
  const t = useTranslator("reportForm");
  const [sending, setSending] = useState<RunningReportUpload | null>(null);
  const [wasSendTried, setWasSendTried] = useState(false);
  const { fields, files, zone } = writing;

  async function upload(values: Record<string, string>) {
    setWasSendTried(true);
    // Clears the error of the previous attempt. Without one, nothing changes, so that nothing moves under a finger.
    if (fields.state.error) fields.setState({ ok: false, values });
    const stopped = new AbortController();
    setSending({ share: 0, stop: () => stopped.abort() });
    const blocker =
      writer === null
        ? undefined
        : findSendBlocker(await fetchSignedInUserId(stopped.signal), writer, stopped.signal);
    const answer = blocker
      ? ({ ok: false, problem: { code: blocker } } as const)
      : await sendReport(sendPath, buildReportBody(fields.readData(), { zone, files }), setSending);
    // After success, the button stays pending until the page navigates.
    if (answer.ok)
      return deleteDraftsAndReplacePage(
        answer.id === null ? "/mailbox" : `/e/${slug}/report/sent?id=${answer.id}`,
        draftName,
      );
    setSending(null);
    showRefusal(buildReportErrorState(answer.problem, values, { t, limits, files: files.chosen }), writing);
  }

  return { sending, wasSendTried, upload };
}

/**
 * Returns a code for the reason why a report can't be sent; undefined if nothing prevents it, or if the session can't
 * be checked.
 */
function findSendBlocker(
  who: string | null | undefined,
  writer: string,
  stopped: AbortSignal,
): string | undefined {
  if (stopped.aborted) return "STOPPED";
  if (who === null) return "UNAUTHENTICATED";
  return who !== undefined && who !== writer ? "SOMEBODY_ELSE" : undefined;
}

type ReportBodyOptions = { zone: string; files: ChosenFilesState };

/** Builds the API request body: with a time converted from its zone to UTC, and the chosen files. */
function buildReportBody(form: FormData, { zone, files }: ReportBodyOptions): FormData {
  // This field is always in the form.
  const time = convertZonedTimeToUtc(form.get("incidentAt") as string, zone);
  if (time) form.set("incidentAt", time);
  if (form.get("anonymous")) form.delete("contactMethod");
  form.delete("zone");
  if (form.get("contactMethod") !== "phone") form.delete("contactPhone");
  form.set("openMailbox", "true");
  form.delete("relatedFiles");
  for (const file of files.chosen) form.append("relatedFiles", file);
  if (!form.has("fileDescriptions")) form.set("fileDescriptions", files.chosen.map(files.lineOf).join("\n"));
  return form;
}
