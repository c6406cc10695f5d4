import { z } from "zod";
import { encodeFieldProblem } from "#lib/i18n/error-text.ts";
import { isDateRangeValid, MAX_CODE_OF_CONDUCT_LENGTH } from "#lib/events/schema.ts";
import { MAX_INVITED_ADDRESSES } from "#lib/invites/schema.ts";
import {
  convertBlankToNull,
  emailInput,
  emailListInput,
  idInput,
  optionalTextInput,
  phoneInput,
  singleLineInput,
  slugInput,
  textChangeInput,
  timeInput,
  timeZoneChangeInput,
} from "#lib/operation/fields.ts";
import {
  MAX_ORG_OR_EVENT_DESCRIPTION_LENGTH,
  MAX_ORG_OR_EVENT_NAME_LENGTH,
  websiteChangeInput,
} from "#lib/organizations/schema.ts";

/** What an organizer says to open an event, and on the first day an organization with it (contract 5.6). */

/** The promise of a first response that an event begins with; its Admins change it. */
export const DEFAULT_ANSWER_WITHIN_HOURS = 24;

const nameInput = singleLineInput(MAX_ORG_OR_EVENT_NAME_LENGTH);
const optionalTimeInput = z.preprocess(convertBlankToNull, timeInput.nullable()).default(null);
const optionalEmailInput = z.preprocess(convertBlankToNull, emailInput.nullable()).optional();

const eventFields = {
  name: nameInput.describe("The event's name."),
  slug: slugInput.optional().describe("Its name in addresses; derived from the name if missing."),
  description: optionalTextInput(MAX_ORG_OR_EVENT_DESCRIPTION_LENGTH),
  startDate: optionalTimeInput,
  endDate: optionalTimeInput,
  timeZone: timeZoneChangeInput,
  website: websiteChangeInput,
  contactEmail: optionalEmailInput,
  codeOfConduct: textChangeInput(MAX_CODE_OF_CONDUCT_LENGTH).describe(
    "The text of the code of conduct; `{contact}` in it becomes the address of the event's page.",
  ),
  emergencyNumber: z.preprocess(convertBlankToNull, phoneInput.nullable()).optional(),
  showTeam: z.boolean(encodeFieldProblem("mustBeBoolean")).optional(),
  teamEmails: emailListInput({ min: 0, max: MAX_INVITED_ADDRESSES })
    .default([])
    .describe("Addresses that are invited as Responder."),
};

const hasDaysInOrder = ({ startDate, endDate }: { startDate: Date | null; endDate: Date | null }) =>
  isDateRangeValid(startDate, endDate);
const DAYS_OUT_OF_ORDER = { path: ["endDate"], message: encodeFieldProblem("mustNotPrecedeStart") };

export const EventSetupInput = z
  .object({
    ...eventFields,
    copyFromEventId: idInput
      .optional()
      .describe("An event of the organization whose Admin you are; what is missing here is copied from it."),
  })
  .refine(hasDaysInOrder, DAYS_OUT_OF_ORDER);
export type EventSetupInput = z.output<typeof EventSetupInput>;

export const OrganizationSetupInput = z
  .object({
    ...eventFields,
    organizationName: nameInput.optional().describe("The organization's name; the event's if missing."),
    organizationSlug: slugInput.optional(),
    manage: z
      .boolean(encodeFieldProblem("mustBeBoolean"))
      .default(true)
      .describe("Whether you become Admin of organization and event, and read the reports."),
    outsidePersonEmail: optionalEmailInput.describe(
      "The address of whoever reads reports that are hidden from the whole team; they are invited.",
    ),
  })
  .refine(hasDaysInOrder, DAYS_OUT_OF_ORDER);
export type OrganizationSetupInput = z.output<typeof OrganizationSetupInput>;
