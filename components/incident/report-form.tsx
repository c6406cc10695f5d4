"use client";

import { type ChangeEvent, type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { Button } from "#components/ui/button.tsx";
import {
  Checkbox,
  DateTimeField,
  FileField,
  RadioGroup,
  SelectField,
  TextArea,
  TextField,
} from "#components/ui/field.tsx";
import { FormContext } from "#components/ui/form-context.ts";
import { FormErrors } from "#components/ui/form-errors.tsx";
import { Progress } from "#components/ui/progress.tsx";
import { useScripted } from "#components/ui/scripted.ts";
import { type FormState, refused, sentValues, UNSENT } from "#lib/design/form-state.ts";
import { subjectFrom } from "#lib/incidents/subject-line.ts";
import { ChosenFiles, problemOfFiles, useFiles } from "./chosen-files.tsx";
import { reportState } from "./report-problems.ts";
import { startSending, type Sending } from "./send-report.ts";

/** Longest texts in characters, and what files may be; from the schema, which is too large to come along. */
export type ReportLimits = {
  title: { min: number; max: number };
  description: number;
  location: number;
  parties: number;
  files: { count: number; bytesEach: number; bytesTotal: number };
};

type Props = {
  slug: string;
  /** Where the form goes without script. */
  sendTo: string;
  /** What a form that was sent without script held when it was refused. */
  returned: FormState | null;
  limits: ReportLimits;
};

/**
 * The report form. Without script it is posted and comes back with its words when it is refused. With script the
 * same fields go to the API, the page stays, and nothing is lost, chosen files included.
 */
export function ReportForm({ slug, sendTo, returned, limits }: Props) {
  const id = useId();
  const [state, setState] = useState<FormState>(returned ?? UNSENT);
  const [sending, setSending] = useState<Sending | null>(null);
  const files = useFiles();
  const errors = useRef<HTMLDivElement>(null);
  const zone = useZone(returned);

  useEffect(() => {
    if (refused(state)) errors.current?.focus();
  }, [state]);

  async function send(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (sending) return;
    const form = new FormData(event.currentTarget);
    const values = sentValues(form);
    const chosen = [...files.chosen, ...filesIn(form)];
    const early = problemOfFiles(chosen, limits.files);
    if (early) return setState(filesState(early, values));
    const body = bodyOf(form, { limits, zone, files: chosen });
    const report = startSending(`/api/events/slug/${slug}/incidents`, body, setSending);
    const answer = await report.answer;
    setSending(null);
    if (answer.ok) window.location.replace(sentPath(slug, answer.id, values.anonymous === "true"));
    else if (!answer.stopped) setState(reportState(answer.problem, values));
  }

  return (
    <FormContext value={{ id, state, pending: sending !== null }}>
      <form
        action={sendTo}
        method="post"
        encType="multipart/form-data"
        autoComplete="off"
        noValidate
        onSubmit={send}
        onChange={(event: ChangeEvent<HTMLFormElement>) => takeFiles(event.target, files)}
        onInput={(event) => suggestSubject(event.currentTarget, event.target, limits)}
        onFocus={(event) => selectSuggestion(event.target)}
        className="grid gap-10"
      >
        {refused(state) && (
          <FormErrors
            ref={errors}
            autoFocus
            formId={id}
            error={state.error}
            fieldErrors={state.fieldErrors}
          />
        )}
        <WhatHappened limits={limits} />
        <WhenWhereWho limits={limits} zone={zone} />
        <You />
        <Part title="Files">
          <FileField
            name="relatedFiles"
            label="Photos, recordings, documents"
            hint={filesHint(limits.files)}
            multiple
            accept="image/*,audio/*,video/*,application/pdf,text/plain,.doc,.docx,.xls,.xlsx,.ppt,.pptx,.odt,.ods,.odp,.rtf"
          />
          <ChosenFiles files={files} limits={limits.files} />
        </Part>
        <SendArea sending={sending} />
      </form>
    </FormContext>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="grid gap-6 border-t border-line pt-6">
      <h2 className="text-xl">{title}</h2>
      {children}
    </section>
  );
}

function WhatHappened({ limits }: { limits: ReportLimits }) {
  return (
    <Part title="What happened">
      <TextArea
        name="description"
        label="In your own words"
        hint="What did you see or hear? Who was there? What happened after? Write as much or as little as you can; no order is needed."
        rows={8}
        maxLength={limits.description}
        count
        required
      />
      <TextField
        name="title"
        label="One line for the subject"
        hint={`${limits.title.min} to ${limits.title.max} characters. Leave it empty, and it is taken from what you wrote.`}
        maxLength={limits.title.max}
        count
      />
      <SelectField
        name="type"
        label="What kind of thing was it"
        prompt="Not sure, or something else"
        options={KINDS}
      />
      <RadioGroup
        name="severity"
        label="How serious is it to you"
        options={SERIOUSNESS}
        defaultValue=""
        markOptional={false}
      />
    </Part>
  );
}

const KINDS = [
  "Insults, slurs or mockery",
  "Unwanted attention or touching",
  "Threats or violence",
  "Discrimination or exclusion",
  "Stalking or following",
  "Photos or recordings against someone's will",
  "Messages or posts online",
  "Safety of a place or an activity",
].map((kind) => ({ value: kind, label: kind }));

const SERIOUSNESS = [
  { value: "", label: "I'd rather not say, or I don't know" },
  { value: "low", label: "It was unpleasant, and you should know of it" },
  { value: "medium", label: "It was wrong, and someone should act on it" },
  { value: "high", label: "Someone was hurt, or does not feel safe here" },
  { value: "critical", label: "Someone is in danger now" },
];

function WhenWhereWho({ limits, zone }: { limits: ReportLimits; zone: string }) {
  return (
    <Part title="When, where and who">
      <DateTimeField
        name="incidentAt"
        label="When it happened"
        zone={zone}
        hint="About right is enough. Not sure? Leave it empty, or say it in your own words above."
      />
      <TextField
        name="location"
        label="Where it happened"
        hint="A room, a street, a chat channel."
        maxLength={limits.location}
      />
      <TextArea
        name="parties"
        label="Who was involved"
        hint="Names, badges, clothes, or how you would describe them. Also who saw it."
        rows={3}
        maxLength={limits.parties}
        count
      />
    </Part>
  );
}

function You() {
  return (
    <Part title="You">
      <RadioGroup
        name="contactMethod"
        label="How may the team reach you"
        defaultValue="email"
        markOptional={false}
        options={[
          { value: "email", label: "By e-mail", hint: "At the address of your account." },
          { value: "phone", label: "By phone", hint: "Write the number into your report." },
          { value: "in_person", label: "In person", hint: "Say in your report where to find you." },
          { value: "no_contact", label: "Please don't contact me" },
        ]}
      />
      <Checkbox
        name="anonymous"
        value="true"
        label="Leave my name out"
        hint={
          <div className="grid gap-1.5">
            <p>
              The report is then kept without your account, and the log of the service doesn't say who sent
              it.
            </p>
            <p>
              The price: it is not in your list of reports, you can't add to it or see what becomes of it, and
              the team can't answer you.
            </p>
            <p>
              What you write, and what is in your files, may still show who you are. Photos often say where
              and when they were taken, and with which camera.
            </p>
          </div>
        }
      />
    </Part>
  );
}

function SendArea({ sending }: { sending: Sending | null }) {
  const scripted = useScripted();
  return (
    <div className="grid gap-4 border-t border-line pt-6">
      {!scripted && (
        <p className="max-w-[60ch] text-sm text-muted">
          If something is missing, the form comes back with your words for 15 minutes. Files must then be
          chosen again.
        </p>
      )}
      <div className="flex flex-wrap items-center gap-3">
        <Button
          type="submit"
          variant="primary"
          pending={sending !== null}
          className="w-full text-lg sm:w-auto sm:px-6"
        >
          {sending ? "Sending…" : "Send report"}
        </Button>
        {sending && (
          <Button variant="quiet" onClick={sending.stop}>
            Stop sending
          </Button>
        )}
      </div>
      {sending && sending.share > 0 && <Progress label="On its way" value={sending.share} max={1} />}
      <p role="status" className="sr-only">
        {sending ? "Sending your report" : ""}
      </p>
    </div>
  );
}

/** "Up to 10 files, 10 MiB each, 50 MiB together." */
const filesHint = ({ count, bytesEach, bytesTotal }: ReportLimits["files"]): string =>
  `Up to ${count} files, ${bytesEach / 1024 / 1024} MiB each, ${bytesTotal / 1024 / 1024} MiB together: images, PDF, text, audio, video, office documents. They are kept as they are.`;

/** The zone of the device with script; UTC without, and for a time that was typed without. */
function useZone(returned: FormState | null): string {
  const scripted = useScripted();
  if (!scripted || returned?.values?.incidentAt) return "UTC";
  return Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
}

/** Picked files move from the picker to the list under it. */
function takeFiles(target: EventTarget, files: ReturnType<typeof useFiles>): void {
  if (target instanceof HTMLInputElement && target.type === "file") files.add(target);
}

/** Files that are still in the picker, as when they were picked before the script had come. */
const filesIn = (form: FormData): File[] =>
  form.getAll("relatedFiles").filter((value): value is File => value instanceof File && value.name !== "");

const filesState = (problem: string, values: Record<string, string>): FormState => ({
  ok: false,
  error: "Not sent yet: please look at the files again.",
  fieldErrors: { relatedFiles: problem },
  values,
});

type Shaping = { limits: ReportLimits; zone: string; files: readonly File[] };

/** The fields as the API takes them: a subject, a time with its zone, the files that were chosen. */
function bodyOf(form: FormData, { limits, zone, files }: Shaping): FormData {
  const description = String(form.get("description") ?? "");
  if (!String(form.get("title") ?? "").trim()) form.set("title", subjectFrom(description, limits.title));
  const at = String(form.get("incidentAt") ?? "");
  const time = new Date(zone === "UTC" ? `${at}:00Z` : at);
  if (at && !Number.isNaN(time.getTime())) form.set("incidentAt", time.toISOString());
  form.delete("relatedFiles");
  for (const file of files) form.append("relatedFiles", file);
  return form;
}

/** Who comes to a proposed subject and types replaces it, instead of writing on at its end. */
function selectSuggestion(field: EventTarget): void {
  if (!(field instanceof HTMLInputElement) || field.name !== "title") return;
  if (field.value && field.value === field.dataset.suggested) field.select();
}

/** Proposes a subject while the words are written, as long as nobody wrote one. */
function suggestSubject(form: HTMLFormElement, left: EventTarget, limits: ReportLimits): void {
  if (!(left instanceof HTMLTextAreaElement) || left.name !== "description") return;
  const title = form.elements.namedItem("title");
  if (!(title instanceof HTMLInputElement)) return;
  if (title.value.trim() && title.value !== title.dataset.suggested) return;
  title.value = subjectFrom(left.value, limits.title);
  title.dataset.suggested = title.value;
}

const sentPath = (slug: string, id: string, anonymous: boolean): string =>
  `/e/${slug}/report/sent${anonymous ? "" : `?id=${id}`}`;
