import type { FormEvent } from "react";
import type { Translator } from "#components/i18n/translator.ts";
import { deriveSubjectLine } from "#lib/incidents/subject-line.ts";
import type { ReportFormLimits } from "./report-form.tsx";

/** Selects a suggested title on focus, so that typing replaces it instead of appending to it. */
export function selectSuggestedReportTitleText(field: EventTarget): void {
  if (!(field instanceof HTMLInputElement) || field.name !== "title") return;
  if (field.value && field.value === field.dataset.suggested) field.select();
}

/** Fills in a title suggested by the description, unless the person has entered one. */
export function fillSuggestedReportTitle(
  { currentTarget, target: left }: FormEvent<HTMLFormElement>,
  limits: ReportFormLimits,
  t: Translator<"reportForm">,
): void {
  if (!(left instanceof HTMLTextAreaElement) || left.name !== "description") return;
  const title = currentTarget.elements.namedItem("title");
  if (!(title instanceof HTMLInputElement)) return;
  if (title.value.trim() && title.value !== title.dataset.suggested) return;
  title.value = deriveSubjectLine(left.value, limits.title, t);
  title.dataset.suggested = title.value;
}
