"use client";

import { type ChangeEvent, Fragment, type ReactNode, useEffect, useId, useRef } from "react";
import { useTimeFormatOptions, useTranslator } from "#i18n";
import { FormContext } from "#components/ui/form-context.ts";
import { FormErrors } from "#components/ui/form-errors.tsx";
import { useOnDemand } from "#components/ui/on-demand.ts";
import { type FormState, isFormSubmissionRejected } from "#lib/design/form-state.ts";
import { FilePicker } from "./chosen-files.tsx";
import type { ReportSummaryChoice } from "./report-check.tsx";
import { DraftOffer, SaveDraftCheckbox } from "./report-draft.tsx";
import { useIsTextHiddenAfterSignOut } from "./report-guards.ts";
import { ReportStepButtons } from "./report-send-area.tsx";
import { ReportDetailFields, ReportFormStep, WhatHappenedFields } from "./report-step-fields.tsx";
import { type ReportFormStepName, ReportStepsContext } from "./report-steps.ts";
import { selectSuggestedReportTitleText, fillSuggestedReportTitle } from "./suggested-title.ts";
import { type ReportFormState, useReportStepsAndSubmission, useReportFormState } from "./use-report.ts";

/**
 * Maximum lengths in characters, and file limits. Passed in, because the schema is too large to ship to the
 * browser.
 */
export type ReportFormLimits = {
  title: { min: number; max: number };
  description: number;
  files: { count: number; bytesEach: number; bytesTotal: number };
  /** What the file dialog offers. */
  accept: string;
  /** Length of one file's description. */
  fileLine: number;
};

type Props = {
  slug: string;
  /** Id of the account that the form was rendered for; null for a report without an account. */
  writer: string | null;
  /** API path to which the form sends the report when script runs. */
  sendPath: string;
  /** Idempotency key of the report, for repeated submissions. */
  ticket: string;
  /** Route to which the browser posts the form when no script runs. */
  sendTo: string;
  /** State of a form that was posted without script and refused. */
  returned: FormState | null;
  limits: ReportFormLimits;
  /** Types of incidents and members of the team, whose names the last step shows. */
  choices: readonly ReportSummaryChoice[];
  /** Zone in which a time is entered; null if the event has none. */
  eventZone: string | null;
  /** The time zone field, for browsers without script and events without a time zone. */
  zoneField: ReactNode;
  /** Storage key of this device's draft; differs per person and event. */
  draftName: string;
  /** An introduction for the reporter, with the emergency contact; shown on the first step. */
  intro: ReactNode;
  /** The emergency contact, collapsed; shown on the other steps. */
  danger: ReactNode;
  /** The contacts to call, for a reporter who says that somebody is in danger now. */
  dangerNow: ReactNode;
  /** The incident type field. */
  kind: ReactNode;
  /** Fields for place, people involved and severity. */
  more: ReactNode;
  /** The question whether the report is about somebody on the team; on the first step. */
  team: ReactNode;
  /** What files may show of a reporter without a name. */
  filesNote: ReactNode;
  /** Fields about the reporter; null for a report without an account. */
  you: ReactNode;
  /** Content for browsers without script. */
  plainly: ReactNode;
  /** Replaces the form while its writer isn't signed in in this browser. */
  covered: ReactNode;
};

/**
 * The report form. Without script it is one page that is posted, and comes back with its text if refused.
 * With script the same fields are split into steps and sent to the API; the page stays, so that nothing is
 * lost, including chosen files. Without steps, the browser refuses a date that was entered by half; with them, a hidden
 * field would block the form.
 */
export function ReportForm(props: Props) {
  const suggestTitle = useTitleSuggestion();
  const id = useId();
  const writing = useReportFormState(props);
  const { files, steps } = writing;
  const { form, state } = writing.fields;
  const { sending, wasSendTried, submit } = useReportStepsAndSubmission({ ...props, suggestTitle }, writing);
  const isCovered = useIsTextHiddenAfterSignOut(props.writer);
  const { heading, errors } = useStepFocus(steps.step, state);
  return (
    <FormContext value={{ id, state, pending: sending !== null }}>
      <ReportStepsContext value={{ ...steps, heading }}>
        {isCovered && props.covered}
        <form
          ref={form}
          hidden={isCovered}
          action={props.sendTo}
          method="post"
          encType="multipart/form-data"
          autoComplete="off"
          noValidate={steps.stepped}
          onSubmit={submit}
          onChange={(event: ChangeEvent<HTMLFormElement>) => addPickedFiles(event.target, files.add)}
          onInput={(event) => {
            suggestTitle(event.currentTarget, event.target);
            writing.noteDraft();
          }}
          onFocus={(event) => selectSuggestedReportTitleText(event.target)}
          className="grid gap-8"
        >
          <input type="hidden" name="ticket" value={state.values?.ticket ?? props.ticket} />
          <FormErrors ref={errors} autoFocus formId={id} state={state} />
          <ReportFormSteps {...props} writing={writing} wasSendTried={wasSendTried} />
          <ReportStepButtons sending={sending} plainly={props.plainly} />
          {steps.stepped && steps.step !== "start" && props.danger}
        </form>
      </ReportStepsContext>
    </FormContext>
  );
}

/**
 * Returns a function that fills in the title of a form for which nobody has entered one, unless the field that was
 * changed has nothing to do with it.
 */
function useTitleSuggestion() {
  const t = useTranslator("reportForm");
  const format = useTimeFormatOptions();
  return (form: HTMLFormElement, changed?: EventTarget) => {
    const { name } = (changed ?? {}) as HTMLInputElement;
    if (!changed || name === "description" || name === "type") fillSuggestedReportTitle(form, format, t);
  };
}

type StepsProps = Pick<
  Props,
  | "dangerNow"
  | "intro"
  | "team"
  | "kind"
  | "eventZone"
  | "zoneField"
  | "more"
  | "filesNote"
  | "you"
  | "limits"
  | "choices"
> & {
  writing: ReportFormState;
  wasSendTried: boolean;
};

function ReportFormSteps({ dangerNow, intro, team, writing, wasSendTried, ...props }: StepsProps) {
  const { fields, draft, steps } = writing;
  return (
    <>
      <div className="if-in-danger on-other-steps">{dangerNow}</div>
      <ReportFormStep name="start">
        {intro}
        <DraftOffer
          draft={draft}
          onTake={({ values, step = "what", keeps = true }) => {
            draft.take(keeps);
            fields.restore(values);
            if (steps.stepped) steps.go(step as ReportFormStepName);
          }}
        />
        <Fragment key={fields.edition}>{team}</Fragment>
      </ReportFormStep>
      <FieldSteps key={fields.edition} {...props} writing={writing} />
      {steps.stepped && <CheckStep choices={props.choices} writing={writing} wasSendTried={wasSendTried} />}
    </>
  );
}

function FieldSteps({
  kind,
  eventZone,
  zoneField,
  more,
  filesNote,
  you,
  limits,
  writing,
}: Omit<StepsProps, "dangerNow" | "intro" | "team" | "wasSendTried">) {
  const { fields, files, draft, steps, zone } = writing;
  return (
    <>
      <ReportFormStep name="what">
        <WhatHappenedFields limits={limits} />
        {steps.stepped && (
          <SaveDraftCheckbox
            draft={draft}
            onKeep={(wanted) => draft.keep(wanted, { values: fields.readValues(), step: steps.step })}
          />
        )}
      </ReportFormStep>
      <ReportFormStep name="details">
        <ReportDetailFields kind={kind} zone={zone} eventZone={eventZone} zoneField={zoneField} more={more} />
      </ReportFormStep>
      <ReportFormStep name="files">
        {filesNote}
        <FilePicker
          files={files}
          limits={limits.files}
          accept={limits.accept}
          descriptionMaxLength={limits.fileLine}
          asOnePage={!steps.stepped}
        />
      </ReportFormStep>
      {you && <ReportFormStep name="you">{you}</ReportFormStep>}
    </>
  );
}

const loadSummary = () => import("./report-check.tsx");

function CheckStep({
  choices,
  writing,
  wasSendTried,
}: Pick<StepsProps, "choices" | "writing" | "wasSendTried">) {
  const t = useTranslator("reportForm");
  const { fields, files, zone } = writing;
  // Loaded while the other steps are filled in; each of them tries it again.
  const summary = useOnDemand(loadSummary, Object.keys(fields.values).length > 0, fields.values);
  return (
    <ReportFormStep name="check">
      <p className="max-w-[60ch] text-muted">
        {t("checkHint")} {!wasSendTried && t("nothingSent")}
      </p>
      {summary && (
        <summary.ReportSummaryBeforeSending
          values={fields.values}
          files={files.chosen}
          lineOf={files.lineOf}
          choices={choices}
          zone={zone}
        />
      )}
    </ReportFormStep>
  );
}

/** Moves the focus to the errors, if any, else to the heading of the new step. */
function useStepFocus(step: ReportFormStepName, state: FormState) {
  const heading = useRef<HTMLHeadingElement>(null);
  const errors = useRef<HTMLDivElement>(null);
  const before = useRef({ step, state });
  useEffect(() => {
    const { step: from, state: last } = before.current;
    before.current = { step, state };
    if (isFormSubmissionRejected(state) && state !== last) return errors.current?.focus();
    if (from === step) return;
    heading.current?.focus({ preventScroll: true });
    heading.current?.closest("section")?.scrollIntoView();
  }, [step, state]);
  return { heading, errors };
}

function addPickedFiles(target: EventTarget, add: (input: HTMLInputElement) => void): void {
  if (target instanceof HTMLInputElement && target.name === "relatedFiles") add(target);
}
