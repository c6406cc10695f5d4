import type { Translator } from "#components/i18n/translator.ts";
import type { TimeFormatOptions } from "#lib/design/time.ts";
import { formatNeutralTitle } from "#lib/incidents/neutral-title.ts";

/** Selects a suggested title on focus, so that typing replaces it instead of appending to it. */
export function selectSuggestedReportTitleText(field: EventTarget): void {
  if (!(field instanceof HTMLInputElement) || field.name !== "title") return;
  if (field.value && field.value === field.dataset.suggested) field.select();
}

/**
 * Fills in a title from the chosen kind of incident and the day, unless the person has entered one. It stays blank as
 * long as the description is.
 */
export function fillSuggestedReportTitle(
  { elements }: HTMLFormElement,
  format: TimeFormatOptions,
  t: Translator<"reportForm">,
): void {
  // These fields are always in the form.
  const [title, description, type] = ["title", "description", "type"].map((name) =>
    elements.namedItem(name),
  ) as [HTMLInputElement, HTMLTextAreaElement, HTMLSelectElement];
  if (title.value.trim() && title.value !== title.dataset.suggested) return;
  const kind = type.value ? type.selectedOptions[0]?.text : undefined;
  title.value = description.value.trim() && formatNeutralTitle(new Date(), { kind, t, ...format });
  title.dataset.suggested = title.value;
}
