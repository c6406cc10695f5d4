import { z } from "zod";
import { MAX_COMMENT_LENGTH } from "#lib/comments/schema.ts";
import { normalizeNfc } from "#lib/design/unicode.ts";
import { VISIBLE_CHARACTER_PATTERN } from "#lib/design/visible-text.ts";
import { createTranslatorForLocale } from "#lib/i18n/catalogue.ts";
import type { Locale } from "#lib/i18n/locales.ts";
import {
  MAX_INCIDENT_TYPE_LENGTH,
  MAX_LOCATION_LENGTH,
  MAX_PARTIES_LENGTH,
  MAX_REPORTED_PERSON_NAME_LENGTH,
} from "#lib/incidents/schema.ts";
import { formatUsableTitle } from "#lib/incidents/usable-title.ts";
import { NewIntakeInput } from "#lib/intake/schema.ts";
import { INTAKE_SUPPORT_STEPS } from "#lib/intake/support-steps.ts";
import { timeInput } from "#lib/operation/fields.ts";

/**
 * The content of a sealed draft. Nobody can correct it anymore, and its reporter may hold the receipt already, so what
 * a form would refuse is repaired here (contract 14.4).
 */
export type SealedIntakeDraft = {
  /** The random name of the draft; its receipt is derived from it. */
  draft: string;
  /** Null where the device's clock was wrong by more than a century. */
  takenAt: Date | null;
  /** The person read the text on the device, agreed, and has the receipt. */
  confirmed: boolean;
  report: NewIntakeInput;
};

const toStorableText = (text: string): string =>
  normalizeNfc(text.toWellFormed().replaceAll("\0", "").trim());

/** Text that is cut to its length: only the description, which has no maximum here, holds what nobody could repeat. */
const repairedText = (max: number) =>
  z
    .string()
    .catch("")
    .transform((text) => [...toStorableText(text)].slice(0, max).join("") || null);

const shape = NewIntakeInput.shape;
const repairedTime = timeInput.nullable().catch(null);
const step = z.object({ kind: z.enum(INTAKE_SUPPORT_STEPS), at: repairedTime });

/** People from whom the report is hidden are never repaired: without them, they would see it. */
const RepairedReport = NewIntakeInput.extend({
  title: z.string().catch(""),
  description: z.string().transform(toStorableText),
  type: repairedText(MAX_INCIDENT_TYPE_LENGTH),
  location: repairedText(MAX_LOCATION_LENGTH),
  parties: repairedText(MAX_PARTIES_LENGTH),
  reportedPersonName: repairedText(MAX_REPORTED_PERSON_NAME_LENGTH),
  severity: shape.severity.catch(null),
  incidentAt: repairedTime,
  channel: shape.channel.catch("in_person"),
  witnessId: shape.witnessId.catch(null),
  observations: repairedText(MAX_COMMENT_LENGTH),
  firstResponses: z
    .array(z.unknown())
    .catch([])
    .transform((steps) => steps.flatMap((one) => step.safeParse(one).data ?? [])),
});

const RepairedDraft = z.object({
  draft: z.string().regex(/^[\w-]{22}$/u),
  takenAt: repairedTime,
  confirmed: z.boolean(),
  report: RepairedReport,
});

/**
 * Reads the content of a sealed draft, and repairs its report.
 * @param locale the language of a title that has to be made up
 * @returns null if it isn't a report
 */
export function parseSealedDraft(content: unknown, locale: Locale): SealedIntakeDraft | null {
  const parsed = RepairedDraft.safeParse(content);
  if (!parsed.success) return null;
  const { report, ...draft } = parsed.data;
  const t = createTranslatorForLocale(locale, "reportForm");
  const title = formatUsableTitle(report.title, draft.takenAt ?? new Date(), { t, locale, timeZone: "UTC" });
  const isReadable = VISIBLE_CHARACTER_PATTERN.test(report.description);
  return { ...draft, report: { ...report, title, description: isReadable ? report.description : title } };
}
