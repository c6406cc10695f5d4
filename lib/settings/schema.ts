import { z } from "zod";
import { emailInput, textInput } from "#lib/operation/fields.ts";

/** Shapes of the settings of the installation (contract 12). */

const registration = z.enum(["open", "invite"], "must be open or invite");

export const MAX_SERVICE_NAME = 60;

/** What a SystemAdmin can set for the installation. */
export const SettingValues = z.object({
  /** Who may register: everybody, or only whoever has an invite. */
  registration,
  /** What people know this installation by; in mails. */
  name: z.string(),
  /** Where people turn when something doesn't work: an address or a web page; null when there is none. */
  supportContact: z.string().nullable(),
});
export type SettingValues = z.output<typeof SettingValues>;

/** `defaults` hold wherever nothing is set; `version` is for `If-Match`. */
export const Settings = SettingValues.extend({ defaults: SettingValues, version: z.string() });

/** An e-mail address, or an https page. */
const contact = textInput(1, 254).refine(
  (value) => emailInput.safeParse(value).success || isPage(value),
  "must be an e-mail address or an https link",
);

function isPage(value: string): boolean {
  if (!/^https:\/\/[^\s/]/i.test(value) || /[\s<>"]/.test(value) || !URL.canParse(value)) return false;
  const { username, password } = new URL(value);
  return username === "" && password === "";
}

const blankAsNull = (value: unknown) => (typeof value === "string" && value.trim() === "" ? null : value);

/** What is missing stays; null, or blank text, goes back to the default. */
export const SettingsChange = z
  .object({
    registration: registration.nullable().optional(),
    name: z
      .preprocess(
        blankAsNull,
        textInput(1, MAX_SERVICE_NAME)
          // It ends up in mails: no line of its own, and no link.
          .refine((value) => !/[\p{Cc}<>]|:\/\//u.test(value), "must be plain words")
          .nullable(),
      )
      .optional(),
    supportContact: z.preprocess(blankAsNull, contact.nullable()).optional(),
  })
  .refine(
    (change) => Object.values(change).some((value) => value !== undefined),
    "needs at least one thing to change",
  );
export type SettingsChange = z.output<typeof SettingsChange>;
