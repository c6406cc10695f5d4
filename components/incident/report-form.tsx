"use client";

import {
  type ChangeEvent,
  type FormEvent,
  Fragment,
  type ReactNode,
  type RefObject,
  useEffect,
  useId,
  useRef,
  useState,
} from "react";
import { useTranslator } from "#words";
import { buttonClass } from "#components/ui/button-class.ts";
import { DateTimeField, type FieldOption, SelectField, TextArea, TextField } from "#components/ui/field.tsx";
import type { Translator } from "#components/words/words.ts";
import { FormContext } from "#components/ui/form-context.ts";
import { FormErrors } from "#components/ui/form-errors.tsx";
import { StaticIcon } from "#components/ui/glyph.tsx";
import { arrowLeft } from "#lib/design/glyphs.ts";
import { isPlainNavigation } from "#components/ui/leave-guard.tsx";
import { Progress } from "#components/ui/progress.tsx";
import { useHydrated } from "#components/ui/scripted.ts";
import { Spinner } from "#components/ui/spinner.tsx";
import { type FormState, isRefused, collectFormValues, INITIAL_FORM_STATE } from "#lib/design/form-state.ts";
import { subscribeToAccounts, SIGNED_OUT } from "#components/shell/accounts-here.ts";
import { zonedTimeToUtc } from "#lib/design/zones.ts";
import { deriveSubjectLine } from "#lib/incidents/subject-line.ts";
import { FilePicker, type ChosenFilesState, useFilesProblemFinder, useChosenFiles } from "./chosen-files.tsx";
import { type StoredDraft, clearAndNavigate, takeHandedOverDraft, writeDraft } from "./traces.ts";
import { ReportReview } from "./report-check.tsx";
import { DraftChoice, DraftOffer, useReportDraft } from "./report-draft.tsx";
import { findTextProblems, buildReportFormState } from "./report-problems.ts";
import {
  type ReportStep,
  StepsContext,
  findStepWithField,
  useReportStepContext,
  useReportSteps,
} from "./report-steps.ts";
import { type ReportUpload, sendReport, fetchSignedInUserId } from "./send-report.ts";

/**
 * Maximum lengths in characters, and file limits. Passed in, because the schema is too large to ship to the
 * browser.
 */
export type ReportLimits = {
  title: { min: number; max: number };
  description: number;
  files: { count: number; bytesEach: number; bytesTotal: number };
  /** Length of one file's description. */
  fileLine: number;
};

type Props = {
  slug: string;
  /** Id of the account that the form was rendered for. */
  writer: string;
  /** Idempotency key of the report, for repeated submissions. */
  ticket: string;
  /** Where the form posts without script. */
  sendTo: string;
  /** State of a form that was posted without script and refused. */
  returned: FormState | null;
  limits: ReportLimits;
  kinds: readonly FieldOption[];
  /**
   * Time zones to choose from, separated by spaces: one string, because React would process each array item
   * separately.
   */
  zones: string;
  /** Storage key of this device's draft; differs per person and event. */
  draftName: string;
  /** What to know first, and the emergency contact: open on the first step, collapsed on the others. */
  intro: ReactNode;
  danger: ReactNode;
  /** The incident type field. */
  kind: ReactNode;
  /** Fields for place, people involved and severity. */
  more: ReactNode;
  /** Fields about the reporter. */
  you: ReactNode;
  /** Content for browsers without script. */
  plainly: ReactNode;
  /** Replaces the form while its writer isn't signed in in this browser. */
  covered: ReactNode;
};

/**
 * The report form. Without script it is one page that is posted, and comes back with its text if refused.
 * With script the same fields are split into steps and sent to the API; the page stays, so that nothing is
 * lost, including chosen files.
 */
export function ReportForm({
  slug,
  writer,
  ticket,
  sendTo,
  returned,
  limits,
  kinds,
  zones,
  draftName,
  intro,
  danger,
  kind,
  more,
  you,
  plainly,
  covered,
}: Props) {
  const t = useTranslator("reportForm");
  const id = useId();
  const [state, setState] = useState<FormState>(returned ?? INITIAL_FORM_STATE);
  // Increments to recreate the fields when their values are restored.
  const [edition, setEdition] = useState(0);
  const [values, setValues] = useState<Record<string, string>>({});
  const [sending, setSending] = useState<ReportUpload | null>(null);
  const [wasSendTried, setWasSendTried] = useState(false);
  const files = useChosenFiles();
  const findFilesProblem = useFilesProblemFinder(limits.files);
  const draft = useReportDraft(draftName);
  const steps = useReportSteps(
    returned ? (findStepWithField(Object.keys(returned.fieldErrors ?? {})) ?? "what") : "start",
  );
  const zone = useTimeZone(returned);
  const form = useRef<HTMLFormElement>(null);
  const isCovered = useSignedOutCover(writer);
  const { heading, errors } = useStepFocus(steps.step, state);

  const formData = () => new FormData(form.current ?? undefined);
  const readValues = () => collectFormValues(formData());

  function restoreDraft({ values: found }: StoredDraft, step: ReportStep) {
    setState({ ok: false, values: found });
    setValues(found);
    setEdition((last) => last + 1);
    if (step !== "start") steps.go(step);
  }

  /** Hands the draft to the next page of this tab. Returns false if the user chose to stay. */
  function handOverDraft(): boolean {
    const handedOverDraft = { values: readValues(), step: steps.step, keeps: draft.keeps };
    const wasDraftSaved = writeDraft(draftName, handedOverDraft, "sessionStorage");
    return (wasDraftSaved && files.chosen.length === 0) || window.confirm(t("wouldLose"));
  }

  useOtherFormSubmits(form, handOverDraft);
  useOutgoingLinks(() => {
    const wouldLoseInput = files.chosen.length > 0 || (!draft.keeps && hasText(form.current));
    return !wouldLoseInput || window.confirm(t("wouldLose"));
  });
  useEffect(() => {
    const handedOverDraft = takeHandedOverDraft(draftName);
    if (!handedOverDraft) return;
    if (handedOverDraft.keeps) draft.take();
    restoreDraft(handedOverDraft, handedOverDraft.step as ReportStep);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- once, as the page arrives
  }, [draftName]);

  function showRefusal(refusal: FormState) {
    setState(refusal);
    const to = findStepWithField(Object.keys(refusal.fieldErrors ?? {}));
    if (steps.scripted && to && to !== steps.step) steps.go(to);
  }

  /** Returns the errors of a step that can be found before anything is sent. */
  function findStepProblems(step: ReportStep): Record<string, string> {
    const isLastStep = step === "check";
    const textProblems = isLastStep || step === "what" ? findTextProblems(readValues(), { t, limits }) : {};
    const fileProblem = isLastStep || step === "files" ? findFilesProblem(files.chosen) : undefined;
    return fileProblem ? { ...textProblems, relatedFiles: fileProblem } : textProblems;
  }

  function goToNextStep() {
    const fieldErrors = findStepProblems(steps.step);
    if (Object.keys(fieldErrors).length > 0)
      return setState({ ok: false, error: t("problem.step"), fieldErrors, values: readValues() });
    setState({ ok: false, values: readValues() });
    setValues(readValues());
    steps.go(steps.next);
  }

  async function send() {
    const sent = readValues();
    const fieldErrors = findStepProblems("check");
    if (Object.keys(fieldErrors).length > 0)
      return showRefusal({ ok: false, error: t("problem.fields"), fieldErrors, values: sent });
    if (!navigator.onLine) return showRefusal({ ok: false, error: t("problem.offline"), values: sent });
    setWasSendTried(true);
    const stopped = new AbortController();
    setSending({ share: 0, stop: () => stopped.abort() });
    const who = await fetchSignedInUserId(stopped.signal);
    const blocker = findSendBlocker(who, writer, stopped.signal);
    const answer = blocker
      ? ({ ok: false, problem: { code: blocker } } as const)
      : await sendReport(
          `/api/events/slug/${slug}/incidents`,
          buildReportBody(formData(), { limits, zone, files, t }),
          setSending,
        );
    // After success, the button stays pending until the page navigates.
    if (answer.ok) return clearAndNavigate(buildSentPath(slug, answer.id, sent.anonymous === "true"));
    setSending(null);
    showRefusal(buildReportFormState(answer.problem, sent, { t, limits, files: files.chosen }));
  }

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (sending) return;
    if (steps.step === "check") void send();
    else goToNextStep();
  }

  return (
    <FormContext value={{ id, state, pending: sending !== null }}>
      <StepsContext value={{ ...steps, heading }}>
        {isCovered && covered}
        <form
          ref={form}
          hidden={isCovered}
          action={sendTo}
          method="post"
          encType="multipart/form-data"
          autoComplete="off"
          noValidate
          onSubmit={submit}
          onChange={(event: ChangeEvent<HTMLFormElement>) => addPickedFiles(event.target, files.add)}
          onInput={(event) => {
            suggestSubject(event, limits, t);
            draft.note(readValues);
          }}
          onFocus={(event) => selectSuggestedSubject(event.target)}
          className="grid gap-8"
        >
          <input type="hidden" name="ticket" value={state.values?.ticket ?? ticket} />
          <FormErrors ref={errors} autoFocus formId={id} state={state} />
          <FormStep name="start">
            {intro}
            <DraftOffer
              draft={draft}
              onTake={(found) => {
                draft.take();
                restoreDraft(found, "what");
              }}
            />
          </FormStep>
          <Fragment key={edition}>
            <FormStep name="what">
              <WhatHappenedFields limits={limits} />
              {steps.scripted && (
                <DraftChoice draft={draft} onKeep={(wanted) => draft.keep(wanted, readValues())} />
              )}
            </FormStep>
            <FormStep name="details">
              <DetailFields kind={kind} zone={zone} zones={zones} more={more} />
            </FormStep>
            <FormStep name="files">
              <FilePicker files={files} limits={limits.files} lineMax={limits.fileLine} />
            </FormStep>
            <FormStep name="you">{you}</FormStep>
          </Fragment>
          {steps.scripted && (
            <FormStep name="check">
              <p className="max-w-[60ch] text-muted">
                {t("checkHint")} {!wasSendTried && t("nothingSent")}
              </p>
              <ReportReview
                values={values}
                files={files.chosen}
                lineOf={files.lineOf}
                kinds={kinds}
                zone={zone}
              />
            </FormStep>
          )}
          <SendArea sending={sending} plainly={plainly} />
          {steps.scripted && steps.step !== "start" && danger}
        </form>
      </StepsContext>
    </FormContext>
  );
}

/**
 * Hides the text when the writer signs out in another tab, or somebody else signs in there, until the writer
 * is signed in again: another person may be using the browser. A session that only expired hides nothing.
 */
function useSignedOutCover(writer: string): boolean {
  const [covered, setCovered] = useState(false);
  useEffect(() => {
    const checkSession = async () => {
      const id = await fetchSignedInUserId();
      if (id === writer) setCovered(false);
      else if (id) setCovered(true);
    };
    const end = subscribeToAccounts((account) => {
      if (account === SIGNED_OUT) setCovered(true);
      else void checkSession();
    });
    const onVisibilityChange = () => void (document.hidden || checkSession());
    document.addEventListener("visibilitychange", onVisibilityChange);
    return () => {
      document.removeEventListener("visibilitychange", onVisibilityChange);
      end();
    };
  }, [writer]);
  return covered;
}

/**
 * Submitting another form of the page (the language choice) reloads the page, so this calls `leave` first.
 * @param leave returns false to stay on the page
 */
function useOtherFormSubmits(form: RefObject<HTMLFormElement | null>, leave: () => boolean): void {
  useEffect(() => {
    const guard = (event: SubmitEvent) => {
      if (event.target !== form.current && !leave()) event.preventDefault();
    };
    document.addEventListener("submit", guard);
    return () => document.removeEventListener("submit", guard);
  });
}

/**
 * A link next to the form asks before it discards the text. Closing, reloading and going back don't ask, so
 * that nothing delays a person who must hide the page at once (docs/decisions/023).
 * @param leave returns false to stay on the page
 */
function useOutgoingLinks(leave: () => boolean): void {
  useEffect(() => {
    const guard = (event: MouseEvent) => {
      if (isPlainNavigation(event) && !leave()) event.preventDefault();
    };
    document.addEventListener("click", guard);
    return () => document.removeEventListener("click", guard);
  });
}

const hasText = (form: HTMLFormElement | null): boolean =>
  [
    ...(form?.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>("textarea, input[type=text]") ?? []),
  ].some(({ value }) => value.trim() !== "");

/** Moves the focus to the errors, if any, else to the heading of the new step. */
function useStepFocus(step: ReportStep, state: FormState) {
  const heading = useRef<HTMLHeadingElement>(null);
  const errors = useRef<HTMLDivElement>(null);
  const before = useRef({ step, state });
  useEffect(() => {
    const { step: from, state: last } = before.current;
    before.current = { step, state };
    if (isRefused(state) && state !== last) return errors.current?.focus();
    if (from === step) return;
    heading.current?.focus({ preventScroll: true });
    heading.current?.closest("section")?.scrollIntoView();
  }, [step, state]);
  return { heading, errors };
}

function FormStep({ name, children }: { name: ReportStep; children: ReactNode }) {
  const t = useTranslator("reportForm");
  const { scripted, step, at, of, heading } = useReportStepContext();
  const isCurrentStep = step === name;
  const start = name === "start";
  return (
    <section
      hidden={scripted && !isCurrentStep}
      aria-label={t(`step.${name}`)}
      className={`grid scroll-mt-6 gap-6 ${start ? "" : "border-t border-line pt-6"}`}
    >
      <div className={start && !scripted ? "sr-only" : "grid gap-0.5"}>
        {scripted && !start && <p className="text-sm text-muted">{t("progress", { at, of })}</p>}
        <h2 ref={isCurrentStep ? heading : undefined} tabIndex={-1} className="text-xl outline-none">
          {t(`step.${name}`)}
        </h2>
      </div>
      {children}
    </section>
  );
}

function WhatHappenedFields({ limits }: { limits: ReportLimits }) {
  const t = useTranslator("reportForm");
  const { scripted } = useReportStepContext();
  return (
    <>
      <TextArea
        name="description"
        label={t("field.description")}
        hint={t("descriptionHint")}
        rows={8}
        maxLength={limits.description}
        count
        required
      />
      <TextField
        name="title"
        label={t("field.title")}
        hint={t(scripted ? "titleHint" : "titleHintPlain", limits.title)}
        maxLength={limits.title.max}
        count
      />
    </>
  );
}

type DetailsProps = Pick<Props, "kind" | "zones" | "more"> & { zone: string };

function DetailFields({ kind, zone, zones, more }: DetailsProps) {
  const t = useTranslator("reportForm");
  const { scripted } = useReportStepContext();
  return (
    <>
      {kind}
      <DateTimeField
        name="incidentAt"
        label={t("field.incidentAt")}
        zone={scripted ? zone : null}
        hint={t("incidentAtHint")}
      />
      {!scripted && (
        <SelectField
          name="zone"
          label={t("zone")}
          hint={t("zoneHint")}
          prompt="UTC"
          options={zones.split(" ").map((value) => ({ value, label: value.replaceAll("_", " ") }))}
          markOptional={false}
        />
      )}
      {more}
    </>
  );
}

function SendArea({ sending, plainly }: { sending: ReportUpload | null; plainly: ReactNode }) {
  const t = useTranslator("reportForm");
  const { scripted, step, checked, at, back } = useReportStepContext();
  const last = !scripted || step === "check";
  return (
    <div className="grid gap-4">
      {!scripted && plainly}
      <div className="flex flex-wrap-reverse items-center gap-3">
        {scripted && at > 0 && (
          <button
            type="button"
            disabled={sending !== null}
            className={buttonClass("secondary", "max-sm:grow")}
            onClick={back}
          >
            <StaticIcon of={arrowLeft} className="rtl:-scale-x-100" />
            {t("back")}
          </button>
        )}
        <button
          type="submit"
          aria-disabled={sending !== null || undefined}
          aria-busy={sending !== null || undefined}
          className={buttonClass("primary", "max-sm:grow-[2] sm:px-6 sm:text-lg")}
        >
          {sending && <Spinner />}
          {last ? t(sending ? "sending" : "send") : t(at === 0 ? "start" : checked ? "toCheck" : "next")}
          {!last && <StaticIcon of={arrowLeft} className="-scale-x-100 rtl:scale-x-100" />}
        </button>
      </div>
      {sending && <UploadProgress sending={sending} />}
      <p role="status" className="sr-only">
        {sending && t("sendingLong")}
      </p>
    </div>
  );
}

/**
 * Upload progress, and a cancel button that is disabled for the first second, so that a double press on Send
 * doesn't cancel. Its space is reserved from the start, so that nothing moves under a finger.
 */
function UploadProgress({ sending }: { sending: ReportUpload }) {
  const t = useTranslator("reportForm");
  return (
    <>
      <Progress label={t("onItsWay")} value={sending.share} max={1} />
      <button type="button" className={buttonClass("quiet", "armed-late")} onClick={sending.stop}>
        {t("stop")}
      </button>
    </>
  );
}

/** The device's time zone; for a time that was entered without script, the zone chosen then. */
function useTimeZone(returned: FormState | null): string {
  const scripted = useHydrated();
  if (!scripted || returned?.values?.incidentAt) return returned?.values?.zone || "UTC";
  return Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
}

function addPickedFiles(target: EventTarget, add: (input: HTMLInputElement) => void): void {
  if (target instanceof HTMLInputElement && target.name === "relatedFiles") add(target);
}

/**
 * Returns why a report can't be sent, as a code; undefined if nothing prevents it, or if the session can't be
 * checked.
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

type ReportBodyOptions = {
  limits: ReportLimits;
  zone: string;
  files: ChosenFilesState;
  t: Translator<"reportForm">;
};

/**
 * Builds the API request body: with a subject, a time converted from its zone to UTC, and the chosen files.
 */
function buildReportBody(form: FormData, { limits, zone, files, t }: ReportBodyOptions): FormData {
  // These fields are always in the form.
  const fieldText = (name: string) => form.get(name) as string;
  if (!fieldText("title").trim())
    form.set("title", deriveSubjectLine(fieldText("description"), limits.title, t));
  const time = zonedTimeToUtc(fieldText("incidentAt"), zone);
  if (time) form.set("incidentAt", time);
  if (form.get("anonymous")) form.delete("contactMethod");
  form.delete("relatedFiles");
  for (const file of files.chosen) form.append("relatedFiles", file);
  if (!form.has("fileDescriptions")) form.set("fileDescriptions", files.chosen.map(files.lineOf).join("\n"));
  return form;
}

/** Selects a suggested subject on focus, so that typing replaces it instead of appending to it. */
function selectSuggestedSubject(field: EventTarget): void {
  if (!(field instanceof HTMLInputElement) || field.name !== "title") return;
  if (field.value && field.value === field.dataset.suggested) field.select();
}

/** Suggests a subject from the description, unless the person has entered one. */
function suggestSubject(
  { currentTarget, target: left }: FormEvent<HTMLFormElement>,
  limits: ReportLimits,
  t: Translator<"reportForm">,
): void {
  if (!(left instanceof HTMLTextAreaElement) || left.name !== "description") return;
  const title = currentTarget.elements.namedItem("title");
  if (!(title instanceof HTMLInputElement)) return;
  if (title.value.trim() && title.value !== title.dataset.suggested) return;
  title.value = deriveSubjectLine(left.value, limits.title, t);
  title.dataset.suggested = title.value;
}

const buildSentPath = (slug: string, id: string, anonymous: boolean): string =>
  `/e/${slug}/report/sent${anonymous ? "" : `?id=${id}`}`;
