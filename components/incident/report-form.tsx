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
import { useWords } from "#words";
import { buttonClass } from "#components/ui/button-class.ts";
import { DateTimeField, type Option, SelectField, TextArea, TextField } from "#components/ui/field.tsx";
import type { Words } from "#components/words/words.ts";
import { FormContext } from "#components/ui/form-context.ts";
import { FormErrors } from "#components/ui/form-errors.tsx";
import { Glyph } from "#components/ui/glyph.tsx";
import { arrowLeft } from "#lib/design/glyphs.ts";
import { leadsAway } from "#components/ui/leave-guard.tsx";
import { Progress } from "#components/ui/progress.tsx";
import { useScripted } from "#components/ui/scripted.ts";
import { Spinner } from "#components/ui/spinner.tsx";
import { type FormState, refused, sentValues, UNSENT } from "#lib/design/form-state.ts";
import { hearAccounts, NOBODY } from "#components/shell/accounts-here.ts";
import { timeInZone } from "#lib/design/zones.ts";
import { subjectFrom } from "#lib/incidents/subject-line.ts";
import { FilePicker, type Files, useFileProblem, useFiles } from "./chosen-files.tsx";
import { type Draft, leaveFor, takeHanded, writeDraft } from "./traces.ts";
import { ReportCheck } from "./report-check.tsx";
import { DraftChoice, DraftOffer, useDraft } from "./report-draft.tsx";
import { problemsOfWords, reportState } from "./report-problems.ts";
import { type Step, StepsContext, stepWith, useInStep, useSteps } from "./report-steps.ts";
import { type Sending, sendReport, signedInAs } from "./send-report.ts";

/** Longest texts in characters, and what files may be; from the schema, which is too large to come along. */
export type ReportLimits = {
  title: { min: number; max: number };
  description: number;
  files: { count: number; bytesEach: number; bytesTotal: number };
  /** What one file shows. */
  fileLine: number;
};

type Props = {
  slug: string;
  /** Id of the account that the form was made for. */
  writer: string;
  /** By which the report is known again when it is sent again. */
  ticket: string;
  /** Where the form goes without script. */
  sendTo: string;
  /** What a form that was sent without script held when it was refused. */
  returned: FormState | null;
  limits: ReportLimits;
  kinds: readonly Option[];
  /** Time zones to choose from, with spaces between them: as values, React would look at each by itself. */
  zones: string;
  /** The name under which this device may keep a draft: another one for another person or event. */
  draftName: string;
  /** What one should know before, and whom to call in danger: on the first screen, and folded on the others. */
  intro: ReactNode;
  danger: ReactNode;
  /** The field for the kind of thing. */
  kind: ReactNode;
  /** The fields about where, who and how bad. */
  more: ReactNode;
  /** The fields about the writer. */
  you: ReactNode;
  /** What is so without script. */
  plainly: ReactNode;
  /** In place of the form while its writer isn't signed in any more, in this browser. */
  covered: ReactNode;
};

/**
 * The report form. Without script it is one page, is posted, and comes back with its words when it is refused. With
 * script the same fields come in steps and go to the API; the page stays, and nothing is lost, chosen files included.
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
  const t = useWords("reportForm");
  const id = useId();
  const [state, setState] = useState<FormState>(returned ?? UNSENT);
  // Fields are made anew where others put words into them.
  const [edition, setEdition] = useState(0);
  const [values, setValues] = useState<Record<string, string>>({});
  const [sending, setSending] = useState<Sending | null>(null);
  const [tried, setTried] = useState(false);
  const files = useFiles();
  const problemOfFiles = useFileProblem(limits.files);
  const draft = useDraft(draftName);
  const steps = useSteps(returned ? (stepWith(Object.keys(returned.fieldErrors ?? {})) ?? "what") : "start");
  const zone = useZone(returned);
  const form = useRef<HTMLFormElement>(null);
  const isCovered = useCover(writer);
  const { heading, errors } = useFocus(steps.step, state);

  const formData = () => new FormData(form.current ?? undefined);
  const written = () => sentValues(formData());

  function putBack({ values: found }: Draft, step: Step) {
    setState({ ok: false, values: found });
    setValues(found);
    setEdition((last) => last + 1);
    if (step !== "start") steps.go(step);
  }

  /** False where the page stays. */
  function takeAlong(): boolean {
    const handed = { values: written(), step: steps.step, keeps: draft.keeps };
    const kept = writeDraft(draftName, handed, "sessionStorage");
    return (kept && files.chosen.length === 0) || window.confirm(t("wouldLose"));
  }

  useOtherForms(form, takeAlong);
  useLinksAway(() => {
    const lost = files.chosen.length > 0 || (!draft.keeps && holdsWords(form.current));
    return !lost || window.confirm(t("wouldLose"));
  });
  useEffect(() => {
    const handed = takeHanded(draftName);
    if (!handed) return;
    if (handed.keeps) draft.take();
    putBack(handed, handed.step as Step);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- once, as the page arrives
  }, [draftName]);

  function refuse(refusal: FormState) {
    setState(refusal);
    const to = stepWith(Object.keys(refusal.fieldErrors ?? {}));
    if (steps.scripted && to && to !== steps.step) steps.go(to);
  }

  /** What can be said about a step before anything is sent. */
  function problemsIn(step: Step): Record<string, string> {
    const late = step === "check";
    const early = late || step === "what" ? problemsOfWords(written(), { t, limits }) : {};
    const wrong = late || step === "files" ? problemOfFiles(files.chosen) : undefined;
    return wrong ? { ...early, relatedFiles: wrong } : early;
  }

  function proceed() {
    const fieldErrors = problemsIn(steps.step);
    if (Object.keys(fieldErrors).length > 0)
      return setState({ ok: false, error: t("problem.step"), fieldErrors, values: written() });
    setState({ ok: false, values: written() });
    setValues(written());
    steps.go(steps.next);
  }

  async function send() {
    const sent = written();
    const fieldErrors = problemsIn("check");
    if (Object.keys(fieldErrors).length > 0)
      return refuse({ ok: false, error: t("problem.fields"), fieldErrors, values: sent });
    if (!navigator.onLine) return refuse({ ok: false, error: t("problem.offline"), values: sent });
    setTried(true);
    const stopped = new AbortController();
    setSending({ share: 0, stop: () => stopped.abort() });
    const who = await signedInAs(stopped.signal);
    const held = whatHolds(who, writer, stopped.signal);
    const answer = held
      ? ({ ok: false, problem: { code: held } } as const)
      : await sendReport(
          `/api/events/slug/${slug}/incidents`,
          bodyOf(formData(), { limits, zone, files, t }),
          setSending,
        );
    // Once it has arrived the button stays as it is until the page has gone.
    if (answer.ok) return leaveFor(sentPath(slug, answer.id, sent.anonymous === "true"));
    setSending(null);
    refuse(reportState(answer.problem, sent, { t, limits, files: files.chosen }));
  }

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (sending) return;
    if (steps.step === "check") void send();
    else proceed();
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
          onChange={(event: ChangeEvent<HTMLFormElement>) => takePicked(event.target, files.add)}
          onInput={(event) => {
            suggestSubject(event, limits, t);
            draft.note(written);
          }}
          onFocus={(event) => selectSuggestion(event.target)}
          className="grid gap-8"
        >
          <input type="hidden" name="ticket" value={state.values?.ticket ?? ticket} />
          <FormErrors ref={errors} autoFocus formId={id} state={state} />
          <StepOf name="start">
            {intro}
            <DraftOffer
              draft={draft}
              onTake={(found) => {
                draft.take();
                putBack(found, "what");
              }}
            />
          </StepOf>
          <Fragment key={edition}>
            <StepOf name="what">
              <WhatHappened limits={limits} />
              {steps.scripted && (
                <DraftChoice draft={draft} onKeep={(wanted) => draft.keep(wanted, written())} />
              )}
            </StepOf>
            <StepOf name="details">
              <Details kind={kind} zone={zone} zones={zones} more={more} />
            </StepOf>
            <StepOf name="files">
              <FilePicker files={files} limits={limits.files} lineMax={limits.fileLine} />
            </StepOf>
            <StepOf name="you">{you}</StepOf>
          </Fragment>
          {steps.scripted && (
            <StepOf name="check">
              <p className="max-w-[60ch] text-muted">
                {t("checkHint")} {!tried && t("nothingSent")}
              </p>
              <ReportCheck
                values={values}
                files={files.chosen}
                lineOf={files.lineOf}
                kinds={kinds}
                zone={zone}
              />
            </StepOf>
          )}
          <SendArea sending={sending} plainly={plainly} />
          {steps.scripted && steps.step !== "start" && danger}
        </form>
      </StepsContext>
    </FormContext>
  );
}

/**
 * Whoever signs out in another tab, or signs in there as somebody else, leaves a browser to others: what is written here
 * is hidden until the writer is signed in again. A session that has only run out hides nothing.
 */
function useCover(writer: string): boolean {
  const [covered, setCovered] = useState(false);
  useEffect(() => {
    const look = async () => {
      const id = await signedInAs();
      if (id === writer) setCovered(false);
      else if (id) setCovered(true);
    };
    const end = hearAccounts((account) => {
      if (account === NOBODY) setCovered(true);
      else void look();
    });
    const shown = () => void (document.hidden || look());
    document.addEventListener("visibilitychange", shown);
    return () => {
      document.removeEventListener("visibilitychange", shown);
      end();
    };
  }, [writer]);
  return covered;
}

/** Another form of the page, the choice of a language, loads it anew. @param leave false where the page stays */
function useOtherForms(form: RefObject<HTMLFormElement | null>, leave: () => boolean): void {
  useEffect(() => {
    const guard = (event: SubmitEvent) => {
      if (event.target !== form.current && !leave()) event.preventDefault();
    };
    document.addEventListener("submit", guard);
    return () => document.removeEventListener("submit", guard);
  });
}

/**
 * A press of a link beside the form asks before it takes the words away. Closing the page, reloading it and going back
 * don't: whoever wants it gone at once must not be held up by a question (docs/decisions/023).
 * @param leave false where the page stays
 */
function useLinksAway(leave: () => boolean): void {
  useEffect(() => {
    const guard = (event: MouseEvent) => {
      if (leadsAway(event) && !leave()) event.preventDefault();
    };
    document.addEventListener("click", guard);
    return () => document.removeEventListener("click", guard);
  });
}

const holdsWords = (form: HTMLFormElement | null): boolean =>
  [
    ...(form?.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>("textarea, input[type=text]") ?? []),
  ].some(({ value }) => value.trim() !== "");

/** The focus goes to the errors where there are some, and else to the heading of the step one comes to. */
function useFocus(step: Step, state: FormState) {
  const heading = useRef<HTMLHeadingElement>(null);
  const errors = useRef<HTMLDivElement>(null);
  const before = useRef({ step, state });
  useEffect(() => {
    const { step: from, state: last } = before.current;
    before.current = { step, state };
    if (refused(state) && state !== last) return errors.current?.focus();
    if (from === step) return;
    heading.current?.focus({ preventScroll: true });
    heading.current?.closest("section")?.scrollIntoView();
  }, [step, state]);
  return { heading, errors };
}

function StepOf({ name, children }: { name: Step; children: ReactNode }) {
  const t = useWords("reportForm");
  const { scripted, step, at, of, heading } = useInStep();
  const here = step === name;
  const start = name === "start";
  return (
    <section
      hidden={scripted && !here}
      aria-label={t(`step.${name}`)}
      className={`grid scroll-mt-6 gap-6 ${start ? "" : "border-t border-line pt-6"}`}
    >
      <div className={start && !scripted ? "sr-only" : "grid gap-0.5"}>
        {scripted && !start && <p className="text-sm text-muted">{t("progress", { at, of })}</p>}
        <h2 ref={here ? heading : undefined} tabIndex={-1} className="text-xl outline-none">
          {t(`step.${name}`)}
        </h2>
      </div>
      {children}
    </section>
  );
}

function WhatHappened({ limits }: { limits: ReportLimits }) {
  const t = useWords("reportForm");
  const { scripted } = useInStep();
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

function Details({ kind, zone, zones, more }: DetailsProps) {
  const t = useWords("reportForm");
  const { scripted } = useInStep();
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

function SendArea({ sending, plainly }: { sending: Sending | null; plainly: ReactNode }) {
  const t = useWords("reportForm");
  const { scripted, step, checked, at, back } = useInStep();
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
            <Glyph of={arrowLeft} className="rtl:-scale-x-100" />
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
          {!last && <Glyph of={arrowLeft} className="-scale-x-100 rtl:scale-x-100" />}
        </button>
      </div>
      {sending && <OnItsWay sending={sending} />}
      <p role="status" className="sr-only">
        {sending && t("sendingLong")}
      </p>
    </div>
  );
}

/**
 * How far it is, and below it the way to stop, which can be pressed after a second only: the second of two presses is no
 * wish to. Its room is there from the start, so that nothing moves under a finger.
 */
function OnItsWay({ sending }: { sending: Sending }) {
  const t = useWords("reportForm");
  return (
    <>
      <Progress label={t("onItsWay")} value={sending.share} max={1} />
      <button type="button" className={buttonClass("quiet", "armed-late")} onClick={sending.stop}>
        {t("stop")}
      </button>
    </>
  );
}

/** The zone of the device; for a time that was typed without script, the one that was chosen then. */
function useZone(returned: FormState | null): string {
  const scripted = useScripted();
  if (!scripted || returned?.values?.incidentAt) return returned?.values?.zone || "UTC";
  return Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
}

function takePicked(target: EventTarget, add: (input: HTMLInputElement) => void): void {
  if (target instanceof HTMLInputElement && target.name === "relatedFiles") add(target);
}

/** Why a report doesn't leave, as a code; undefined where nothing holds it, or where that can't be told. */
function whatHolds(who: string | null | undefined, writer: string, stopped: AbortSignal): string | undefined {
  if (stopped.aborted) return "STOPPED";
  if (who === null) return "UNAUTHENTICATED";
  return who !== undefined && who !== writer ? "SOMEBODY_ELSE" : undefined;
}

type Shaping = { limits: ReportLimits; zone: string; files: Files; t: Words<"reportForm"> };

/** The fields as the API takes them: a subject, a time with its zone, the files that were chosen. */
function bodyOf(form: FormData, { limits, zone, files, t }: Shaping): FormData {
  // These fields always stand in the form.
  const said = (name: string) => form.get(name) as string;
  if (!said("title").trim()) form.set("title", subjectFrom(said("description"), limits.title, t));
  const time = timeInZone(said("incidentAt"), zone);
  if (time) form.set("incidentAt", time);
  if (form.get("anonymous")) form.delete("contactMethod");
  form.delete("relatedFiles");
  for (const file of files.chosen) form.append("relatedFiles", file);
  if (!form.has("fileDescriptions")) form.set("fileDescriptions", files.chosen.map(files.lineOf).join("\n"));
  return form;
}

/** Who comes to a proposed subject and types replaces it, instead of writing on at its end. */
function selectSuggestion(field: EventTarget): void {
  if (!(field instanceof HTMLInputElement) || field.name !== "title") return;
  if (field.value && field.value === field.dataset.suggested) field.select();
}

/** Proposes a subject while the words are written, as long as nobody wrote one. */
function suggestSubject(
  { currentTarget, target: left }: FormEvent<HTMLFormElement>,
  limits: ReportLimits,
  t: Words<"reportForm">,
): void {
  if (!(left instanceof HTMLTextAreaElement) || left.name !== "description") return;
  const title = currentTarget.elements.namedItem("title");
  if (!(title instanceof HTMLInputElement)) return;
  if (title.value.trim() && title.value !== title.dataset.suggested) return;
  title.value = subjectFrom(left.value, limits.title, t);
  title.dataset.suggested = title.value;
}

const sentPath = (slug: string, id: string, anonymous: boolean): string =>
  `/e/${slug}/report/sent${anonymous ? "" : `?id=${id}`}`;
