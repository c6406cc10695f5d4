import { z } from "zod";
import { encodeFieldProblem } from "#lib/i18n/error-text.ts";
import { convertBlankToNull, emailInput, textInput, hasChange } from "#lib/operation/fields.ts";

/** Schemas of the installation's settings (contract 12). */

const registration = z.enum(["open", "invite"]);

export const MAX_SERVICE_NAME_LENGTH = 60;

/** Settings that a SystemAdmin can change. */
export const SystemSettingValues = z.object({
  /** The people who may register: everyone, or only those with an invite. */
  registration,
  /** Name of this installation in mails. */
  name: z.string(),
  /** Where people get help: an address or a web page; null for none. */
  supportContact: z.string().nullable(),
});
export type SystemSettingValues = z.output<typeof SystemSettingValues>;

/** `defaults` apply to settings without a value; `version` is for `If-Match`. */
export const SystemSettingsOutput = SystemSettingValues.extend({
  defaults: SystemSettingValues,
  version: z.string(),
});

/** An email address or an https URL. */
const contact = textInput(1, 254).refine(
  (value) => emailInput.safeParse(value).success || isPage(value),
  encodeFieldProblem("mustBeContact"),
);

function isPage(value: string): boolean {
  if (!/^https:\/\/[^\s/]/i.test(value) || /[\s<>"]/.test(value) || !URL.canParse(value)) return false;
  const { username, password } = new URL(value);
  return username === "" && password === "";
}

/** Missing fields keep their value; null or blank text restores the default. */
export const SystemSettingsChangeInput = z
  .object({
    registration: registration.nullable().optional(),
    name: z
      .preprocess(
        convertBlankToNull,
        textInput(1, MAX_SERVICE_NAME_LENGTH)
          // The name appears in mails, so it must contain no line break and no link.
          .refine((value) => !/[\p{Cc}<>]|:\/\//u.test(value), encodeFieldProblem("mustBePlainText"))
          .nullable(),
      )
      .optional(),
    supportContact: z.preprocess(convertBlankToNull, contact.nullable()).optional(),
  })
  .refine(hasChange, encodeFieldProblem("needsChange"));
export type SystemSettingsChangeInput = z.output<typeof SystemSettingsChangeInput>;
