"use client";

import { type ReactNode } from "react";
import { useLocale, useWords } from "#words";
import { buttonClass } from "#components/ui/button-class.ts";
import type { Option } from "#components/ui/field.tsx";
import { localTime } from "#lib/design/time.ts";
import { type Step, useInStep } from "./report-steps.ts";

type Props = {
  /** What was written, by field name. */
  values: Record<string, string>;
  files: readonly File[];
  /** What a file shows, where it was said. */
  lineOf: (file: File) => string;
  kinds: readonly Option[];
  zone: string;
};

type Row = [label: string, value: ReactNode];

/** Everything as it will be sent, each part with a way to change it. */
export function ReportCheck({ values, files, lineOf, kinds, zone }: Props) {
  const t = useWords("reportForm");
  const kind = kinds.find(({ value }) => value === values.type)?.label;
  const severity = values.severity as "low" | undefined;
  const anonymous = values.anonymous === "true";
  const contact = values.contactMethod as "email" | undefined;
  return (
    <div className="grid gap-4">
      <Part step="what">
        {[
          [t("field.description"), values.description],
          [t("field.title"), values.title],
        ]}
      </Part>
      <Part step="details">
        {[
          [t("field.type"), kind],
          [t("field.severity"), severity && t(`severity.${severity}`)],
          [t("field.incidentAt"), values.incidentAt && <InZone time={values.incidentAt} zone={zone} />],
          [t("field.location"), values.location],
          [t("field.parties"), values.parties],
        ]}
      </Part>
      <Part step="files">
        {[
          [
            t("field.relatedFiles"),
            files.length > 0 &&
              files.map((file, at) => <NamedFile key={at} name={file.name} line={lineOf(file)} />),
          ],
          ...(values.fileDescriptions
            ? [[t("field.fileDescriptions"), values.fileDescriptions] satisfies Row]
            : []),
        ]}
      </Part>
      <Part step="you">
        {[
          [t("yourName"), t(anonymous ? "nameLeftOut" : "nameGiven")],
          [t("field.contactMethod"), anonymous ? t("contactNone") : contact && t(`contact.${contact}`)],
        ]}
      </Part>
    </div>
  );
}

function InZone({ time, zone }: { time: string; zone: string }) {
  const t = useWords("reportForm");
  const locale = useLocale();
  return (
    <>
      {localTime(time, locale)} (<bdi>{zone.replaceAll("_", " ")}</bdi>)
      {isAhead(time) && <strong className="block font-[550]">{t("incidentAtAhead")}</strong>}
    </>
  );
}

const isAhead = (time: string): boolean => Date.parse(time) > Date.now();

function NamedFile({ name, line }: { name: string; line: string }) {
  return (
    <span className="block">
      <bdi>{name}</bdi>
      {line && <span className="block text-sm text-muted">{line}</span>}
    </span>
  );
}

function Part({ step, children }: { step: Step; children: Row[] }) {
  const t = useWords("reportForm");
  const { go } = useInStep();
  const title = t(`step.${step as "what"}`);
  return (
    <section className="grid gap-3 rounded-surface border border-line bg-surface p-4">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <h3 className="text-lg">{title}</h3>
        <button
          type="button"
          aria-label={t("changeWhat", { what: title })}
          className={buttonClass("quiet", "-my-2 px-2")}
          onClick={() => go(step)}
        >
          {t("change")}
        </button>
      </div>
      <dl className="grid gap-3">
        {children.map(([label, value]) => (
          <div key={label} className="grid gap-0.5">
            <dt className="text-sm text-muted">{label}</dt>
            <dd dir="auto" className="min-w-0 whitespace-pre-wrap wrap-anywhere">
              {value || <span className="text-muted italic">{t("notGiven")}</span>}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
