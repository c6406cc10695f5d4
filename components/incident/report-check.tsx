"use client";

import { type ReactNode } from "react";
import { useLocale, useTranslator } from "#i18n";
import { buildButtonClass } from "#components/ui/button-class.ts";
import type { FieldOption } from "#components/ui/field.tsx";
import { containsNameTerm } from "#lib/design/name-terms.ts";
import { formatCalendarDate, formatWallClockDateTime, formatZoneName } from "#lib/design/time.ts";
import { EXACT_TIME } from "#lib/incident-time.ts";
import { type ReportFormStepName, useReportStepContext } from "./report-steps.ts";

/**
 * An incident type or a member of the team; the summary shows the label of each one that was chosen. Only members have
 * `terms`: the words that show that a text names this person (lib/design/name-terms.ts).
 */
export type ReportSummaryChoice = FieldOption & { terms?: readonly string[] };

type Props = {
  /** Form values by field name. */
  values: Record<string, string>;
  files: readonly File[];
  /** Description of a file, if one was entered. */
  lineOf: (file: File) => string;
  /** Types of incidents, and members of the team from whom the report can be hidden. */
  choices: readonly ReportSummaryChoice[];
  zone: string;
};

/** The value is undefined for a question that the form doesn’t ask. */
type ReviewRow = [label: string, value: ReactNode];

/** Shows everything that will be sent, each part with a link to change it. */
export function ReportSummaryBeforeSending({ values, files, lineOf, choices, zone }: Props) {
  const t = useTranslator("reportForm");
  const kind = choices.find(({ value }) => value === values.type)?.label ?? "";
  const severity = values.severity as "low" | undefined;
  return (
    <div className="grid gap-4">
      <TeamReview values={values} choices={choices} />
      <ReviewSection step="what">
        {[
          [t("field.description"), values.description],
          [t("field.title"), values.title],
        ]}
      </ReviewSection>
      <ReviewSection step="details">
        {[
          [t("field.type"), kind],
          [t("field.severity"), severity && t(`severity.${severity}`)],
          [t("field.incidentDay"), values.incidentDay && <EnteredTime values={values} zone={zone} />],
          [t("field.location"), values.location],
          [t("field.parties"), values.parties],
          [t("field.reportedPersonName"), values.reportedPersonName],
        ]}
      </ReviewSection>
      <FilesReview files={files} lineOf={lineOf} descriptions={values.fileDescriptions} />
      <NamedReadersNote values={values} choices={choices} />
      <ReporterReview values={values} />
    </div>
  );
}

/** Suggests hiding the report from members of the team whom it names. */
function NamedReadersNote({ values, choices }: Pick<Props, "values" | "choices">) {
  const t = useTranslator("reportForm");
  const {
    excludedUserIds = "",
    title = "",
    description = "",
    parties = "",
    reportedPersonName = "",
  } = values;
  const text = [title, description, parties, reportedPersonName].join("\n");
  const names = choices
    .flatMap(({ value, label, terms }) =>
      terms && !excludedUserIds.includes(value) && containsNameTerm(text, terms) ? label : [],
    )
    .join(", ");
  return (
    names && (
      <p role="note" className="max-w-[60ch] text-muted">
        {t("namedReader", { names })}
      </p>
    )
  );
}

/** The answer to whether it is about somebody on the team. */
function TeamReview({ values, choices }: Pick<Props, "values" | "choices">) {
  const t = useTranslator("reportForm");
  const { aboutTeam, excludedUserIds = "", excludedName } = values;
  const names = choices.flatMap(({ value, label }) => (excludedUserIds.includes(value) ? label : []));
  return (
    <ReviewSection step="start" title={t("field.aboutTeam")}>
      {[
        [t("answer"), aboutTeam ? t(`aboutTeam.${aboutTeam as "no"}`) : null],
        [t("field.excludedUserIds"), aboutTeam === "named" ? (excludedName ?? names.join("\n")) : undefined],
      ]}
    </ReviewSection>
  );
}

/** The reporter's name and contact; nothing for a report without an account, which doesn't ask for them. */
function ReporterReview({ values }: Pick<Props, "values">) {
  const t = useTranslator("reportForm");
  const anonymous = values.anonymous === "true";
  const contact = values.contactMethod as "email" | "phone" | undefined;
  if (!anonymous && !contact) return null;
  const rows: ReviewRow[] = [[t("yourName"), t(anonymous ? "nameLeftOut" : "nameGiven")]];
  if (anonymous) rows.push([t("field.contactMethod"), t("contactNone")]);
  else if (contact) rows.push([t("field.contactMethod"), t(`contact.${contact}`)]);
  if (!anonymous && contact === "phone") rows.push([t("field.contactPhone"), values.contactPhone]);
  return <ReviewSection step="you">{rows}</ReviewSection>;
}

type FilesReviewProps = Pick<Props, "files" | "lineOf"> & { descriptions: string | undefined };

function FilesReview({ files, lineOf, descriptions }: FilesReviewProps) {
  const t = useTranslator("reportForm");
  return (
    <ReviewSection step="files">
      {[
        [
          t("field.relatedFiles"),
          files.length > 0 &&
            files.map((file, at) => <ReviewedFile key={at} name={file.name} line={lineOf(file)} />),
        ],
        ...(descriptions ? [[t("field.fileDescriptions"), descriptions] satisfies ReviewRow] : []),
      ]}
    </ReviewSection>
  );
}

function EnteredTime({ values, zone }: Pick<Props, "values" | "zone">) {
  const t = useTranslator("reportForm");
  const locale = useLocale();
  const { incidentDay = "", incidentClock, incidentTime } = values;
  if (!incidentClock) return formatCalendarDate(incidentDay, locale);
  if (incidentClock !== EXACT_TIME)
    return `${formatCalendarDate(incidentDay, locale)}, ${t(`dayPart.${incidentClock as "exact"}`)}`;
  return (
    <>
      {formatWallClockDateTime(`${incidentDay}T${incidentTime}`, locale)} (<bdi>{formatZoneName(zone)}</bdi>)
    </>
  );
}

function ReviewedFile({ name, line }: { name: string; line: string }) {
  return (
    <span className="block">
      <bdi>{name}</bdi>
      {line && <span className="block text-sm text-muted">{line}</span>}
    </span>
  );
}

type SectionProps = {
  step: ReportFormStepName;
  /** The name of the step if omitted. */
  title?: string;
  children: ReviewRow[];
};

function ReviewSection({ step, title: ownTitle, children }: SectionProps) {
  const t = useTranslator("reportForm");
  const { go } = useReportStepContext();
  const title = ownTitle ?? t(`step.${step as "what"}`);
  return (
    <section className="grid gap-3 rounded-surface border border-line bg-surface p-4">
      <div className="flex items-baseline justify-between gap-x-4">
        <h3 className="min-w-0 text-lg wrap-anywhere">{title}</h3>
        <button
          type="button"
          aria-label={t("changeWhat", { what: title })}
          className={buildButtonClass("quiet", "-my-2 shrink-0 px-2")}
          onClick={() => go(step)}
        >
          {t("change")}
        </button>
      </div>
      <dl className="grid gap-3">
        {children.map(
          ([label, value]) =>
            value !== undefined && (
              <div key={label} className="grid gap-0.5">
                <dt className="text-sm text-muted">{label}</dt>
                <dd dir="auto" className="min-w-0 whitespace-pre-wrap wrap-anywhere">
                  {value || <span className="text-muted italic">{t("notGiven")}</span>}
                </dd>
              </div>
            ),
        )}
      </dl>
    </section>
  );
}
