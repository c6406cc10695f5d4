import { type FormEvent, useLayoutEffect, useRef, useState } from "react";
import { fetchSignedInUserId } from "#components/shell/signed-in-account.ts";
import { useHydrated } from "#components/ui/use-hydrated.ts";
import { type FormState, collectRestorableFormValues, INITIAL_FORM_STATE } from "#lib/design/form-state.ts";
import { readIncidentTime } from "#lib/incident-time.ts";
import { useTranslator } from "#i18n";
import { type ChosenFilesState, useFilesProblemFinder, useChosenFiles } from "./chosen-files.tsx";
import { useReportDraft } from "./report-draft.tsx";
import { REPORT_STEP_FIELDS } from "./report-fields.ts";
import type { ReportFormLimits } from "./report-form.tsx";
import { isFormInUse, useOtherFormSubmitGuard, useOutgoingLinkGuard } from "./report-guards.ts";
import { buildReportErrorState, findReportTextProblems } from "./report-problems.ts";
import {
  type ReportFormStepName,
  findStepWithField,
  listReportSteps,
  useReportStepNavigation,
} from "./report-steps.ts";
import { type RunningReportUpload, sendReport } from "./send-report.ts";
import { deleteDraftsAndReplacePage, readStoredReportDraft } from "./traces.ts";

/** A report that is being written: its texts, files, draft and current step. */
export type ReportFormState = ReturnType<typeof useReportFormState>;
type ReportFormFields = Omit<ReportFormState, "zone">;

type ReportFormOptions = {
  /** Id of the account that the form was rendered for; null for a report without an account. */
  writer: string | null;
  /** State of a form that was posted without script and refused. */
  returned: FormState | null;
  /** Storage key of this device's draft. */
  draftName: string;
  eventZone: string | null;
};

export function useReportFormState({ writer, returned, draftName, eventZone }: ReportFormOptions) {
  const fields = useReportFields(returned);
  const files = useChosenFiles();
  const draft = useReportDraft(draftName);
  const steps = useReportStepNavigation(fields.form, {
    first: returned ? (findStepWithField(Object.keys(returned.fieldErrors ?? {})) ?? "what") : "start",
    order: listReportSteps({ withoutAccount: writer === null }),
  });
  const zone = useTimeZone(eventZone, returned);

  const noteDraft = () => draft.note(() => ({ values: fields.readValues(), step: steps.step }));
  const writing = { fields, files, draft, steps, zone, noteDraft };
  useDraftOfTab(draftName, writing);
  useFilesChosenBeforeScript(writing);
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
  if (!scripted || returned?.values?.incidentDay) return returned?.values?.zone || "UTC";
  return Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
}

/** Restores what an earlier page of this tab has kept, and keeps what is entered for the next one. */
function useDraftOfTab(
  draftName: string,
  { fields, files, draft, steps, noteDraft }: ReportFormFields,
): void {
  const t = useTranslator("reportForm");
  const isInUse = () => fields.form.current !== null && isFormInUse(fields.form.current);

  /** Returns false if the user chose to stay. */
  function leave(): boolean {
    // What was entered before script arrived, or by something else than keys, was never noted.
    if (isInUse()) noteDraft();
    return (draft.saveNow() && files.chosen.length === 0) || window.confirm(t("wouldLose"));
  }

  useOtherFormSubmitGuard(fields.form, leave);
  useOutgoingLinkGuard(leave);
  // A layout effect, so that the form has its text before the page can be left again.
  useLayoutEffect(() => {
    const draftOfTab = readStoredReportDraft(draftName, "sessionStorage");
    if (isInUse()) {
      if (draftOfTab) draft.offer(draftOfTab);
      return noteDraft();
    }
    if (!draftOfTab) return;
    if (draftOfTab.keeps || readStoredReportDraft(draftName) === null) draft.take(draftOfTab.keeps === true);
    fields.restore(draftOfTab.values);
    steps.resume(draftOfTab.step ?? "what");
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- once, as the page arrives
  }, [draftName]);
}

/** Moves files that were chosen before script arrived to the list of chosen ones. */
function useFilesChosenBeforeScript({ fields, files }: ReportFormFields): void {
  useLayoutEffect(() => {
    const picker = fields.form.current?.querySelector<HTMLInputElement>("input[name=relatedFiles]");
    if (picker?.files?.length) files.add(picker);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- once, as the page arrives
  }, []);
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
  const { fields, steps, draft } = writing;
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
    draft.note(() => ({ values, step: steps.next }));
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
    if (!steps.stepped || steps.step === "check") send();
    else goToNextStep();
  }

  return { sending, wasSendTried, submit };
}

/** Returns a function that finds the errors of a step without sending anything. */
function useStepProblemFinder(limits: ReportFormLimits, { fields, files, steps, zone }: ReportFormState) {
  const t = useTranslator("reportForm");
  const findFilesProblem = useFilesProblemFinder(limits.files);
  return (step: ReportFormStepName): Record<string, string> => {
    const isLastStep = step === "check" || !steps.stepped;
    const all = findReportTextProblems(fields.readValues(), { t, limits, zone });
    if (hasHalfDate(fields.form.current)) all.incidentDay = t("problem.time.notADay");
    const ofStep: readonly string[] = REPORT_STEP_FIELDS[step];
    const textProblems = isLastStep
      ? all
      : Object.fromEntries(Object.entries(all).filter(([name]) => ofStep.includes(name)));
    const fileProblem = isLastStep || step === "files" ? findFilesProblem(files.chosen) : undefined;
    return fileProblem ? { ...textProblems, relatedFiles: fileProblem } : textProblems;
  };
}

/** Returns whether a day or time was entered by half, of which the browser reports nothing but that. */
const hasHalfDate = (form: HTMLFormElement | null): boolean =>
  [...(form?.querySelectorAll<HTMLInputElement>("input[type=date], input[type=time]") ?? [])].some(
    ({ validity }) => validity.badInput,
  );

/** Shows the reason why the report wasn't sent, in the step with the first field that has an error. */
function showRefusal(refusal: FormState, { fields, steps }: ReportFormState): void {
  fields.setState(refusal);
  const to = findStepWithField(Object.keys(refusal.fieldErrors ?? {}));
  if (steps.stepped && to && to !== steps.step) steps.go(to);
}

function useReportUpload(
  { slug, writer, sendPath, draftName, limits }: SubmissionOptions,
  writing: ReportFormState,
) {
  const t = useTranslator("reportForm");
  const [sending, setSending] = useState<RunningReportUpload | null>(null);
  const [wasSendTried, setWasSendTried] = useState(false);
  const { fields, files, zone } = writing;

  async function readReportBody(): Promise<FormData> {
    const data = fields.readData();
    return buildReportBody(data, { zone: await findEnteredZone(data, zone), files });
  }

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
      : await sendReport(sendPath, await readReportBody(), setSending);
    // After success, the button stays pending until the page navigates.
    if (answer.ok)
      return deleteDraftsAndReplacePage(
        answer.id === null ? "/mailbox" : `/e/${slug}/report/sent?id=${answer.id}`,
        draftName,
      );
    const refusal = await buildRefusal(answer.problem, values, { t, limits, zone, files: files.chosen });
    setSending(null);
    showRefusal(refusal, writing);
  }

  return { sending, wasSendTried, upload };
}

type Refusal = Parameters<typeof buildReportErrorState>;

/** Builds the state of a refused form. What says how to send a refused file is too large to load with the form. */
async function buildRefusal(
  problem: Refusal[0],
  values: Refusal[1],
  context: Refusal[2],
): Promise<FormState> {
  const isTypeRefused = problem.code === "UNSUPPORTED_FILE_TYPE";
  const types = isTypeRefused ? await import("#lib/files/file-types.ts").catch(() => undefined) : undefined;
  return buildReportErrorState(problem, values, { ...context, findWayOut: types?.findWayOutByName });
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

/** Returns the zone that was entered in a form of one page, else that of the form. */
async function findEnteredZone(form: FormData, zone: string): Promise<string> {
  const text = form.get("zone");
  if (typeof text !== "string" || !text.trim() || text === zone) return zone;
  // Rare, and too large to load with the form.
  const zones = await import("#lib/time-zones.ts").catch(() => null);
  return zones?.findTimeZoneByText(text) ?? text;
}

type ReportBodyOptions = { zone: string; files: ChosenFilesState };

/** Builds the API request body: with what was entered about the time converted from its zone to UTC, and the chosen files. */
function buildReportBody(form: FormData, { zone, files }: ReportBodyOptions): FormData {
  const time = readIncidentTime(collectRestorableFormValues(form), { zone, now: new Date() });
  for (const name of ["incidentDay", "incidentClock", "incidentTime", "incidentTwice", "incidentAhead"])
    form.delete(name);
  if (time && "incidentAt" in time)
    for (const [name, value] of Object.entries(time)) if (value !== null) form.set(name, value as string);
  if (form.get("anonymous")) form.delete("contactMethod");
  form.delete("zone");
  if (form.get("contactMethod") !== "phone") form.delete("contactPhone");
  form.set("openMailbox", "true");
  form.delete("relatedFiles");
  for (const file of files.chosen) form.append("relatedFiles", file);
  if (!form.has("fileDescriptions")) form.set("fileDescriptions", files.chosen.map(files.lineOf).join("\n"));
  return form;
}
