import { z } from "zod";
import { encodeFieldProblem } from "#lib/i18n/error-text.ts";
import {
  textChangeInput,
  idOutput,
  optionalTextInput,
  timeOutput,
  timeInput,
  urlOutput,
  emailListInput,
} from "#lib/operation/fields.ts";
import { buildInviteLink } from "#lib/crypto/random-code.ts";
import { OrganizationMemberRole } from "#lib/organizations/schema.ts";

export const MAX_INVITE_NOTE_LENGTH = 500;
export const MAX_INVITE_USES = 2_147_483_647;

/** An invite as those who manage it see it. */
export const InviteOutput = z.object({
  id: idOutput,
  code: z.string(),
  role: z.enum(["org_admin", "org_viewer", "Reporter", "Responder", "Admin"]),
  url: urlOutput,
  expiresAt: timeOutput.nullable(),
  maxUses: z.int().nullable(),
  useCount: z.int(),
  disabled: z.boolean(),
  note: z.string().nullable(),
  createdAt: timeOutput,
});
export type InviteRecord = z.input<typeof InviteOutput>;

/** An invite of a list: a token that only reads gets neither code nor link, since both give a role (contract 5.3). */
export const ListedInviteOutput = InviteOutput.extend({
  code: z.string().nullable(),
  url: urlOutput.nullable(),
});
export type ListedInviteRecord = z.input<typeof ListedInviteOutput>;

/** The columns of an invite row that a response may show. */
export const INVITE_COLUMNS = {
  id: true,
  code: true,
  role: true,
  expiresAt: true,
  maxUses: true,
  useCount: true,
  disabled: true,
  note: true,
  createdAt: true,
} as const;

type InviteRow = Omit<InviteRecord, "url" | "role"> & { role: string };

export const toInviteRecord = (row: InviteRow): InviteRecord => ({
  id: row.id,
  code: row.code,
  role: row.role as InviteRecord["role"],
  url: buildInviteLink(row.code),
  expiresAt: row.expiresAt,
  maxUses: row.maxUses,
  useCount: row.useCount,
  disabled: row.disabled,
  note: row.note,
  createdAt: row.createdAt,
});

/** Terms of every invite besides its role. `maxUses` null or missing means no limit (contract 5.3). */
const inviteTerms = {
  expiresAt: timeInput
    .refine((value) => value.getTime() > Date.now(), encodeFieldProblem("mustBeInFuture"))
    .nullish()
    .transform((value) => value ?? null),
  maxUses: z
    .int(encodeFieldProblem("mustBeWholeNumberBetween", { min: 1, max: MAX_INVITE_USES }))
    .min(1, encodeFieldProblem("mustBeAtLeastOne"))
    .max(MAX_INVITE_USES, encodeFieldProblem("mustBeAtMost", { max: MAX_INVITE_USES }))
    .nullish()
    .transform((value) => value ?? null),
  note: optionalTextInput(MAX_INVITE_NOTE_LENGTH),
};

export const NewOrganizationInviteInput = z.object({ role: OrganizationMemberRole, ...inviteTerms });
export type NewOrganizationInviteInput = z.output<typeof NewOrganizationInviteInput>;

const EVENT_ROLES = ["Reporter", "Responder", "Admin"] as const;

/** Accepts any letter case and returns the exact name (contract 2.1). */
const inviteEventRoleInput = z.preprocess(
  (value) =>
    EVENT_ROLES.find((role) => typeof value === "string" && role.toLowerCase() === value.toLowerCase()) ??
    value,
  z.enum(EVENT_ROLES),
);

export const NewEventInviteInput = z.object({ role: inviteEventRoleInput, ...inviteTerms });
export type NewEventInviteInput = z.output<typeof NewEventInviteInput>;

/** How many addresses one request may invite, and for how long a mailed invite can be used. */
export const MAX_INVITED_ADDRESSES = 20;
export const INVITE_MAIL_DAYS = 14;

const emails = emailListInput({ min: 1, max: MAX_INVITED_ADDRESSES });
export const MailedOrganizationInvitesInput = z.object({ emails, role: OrganizationMemberRole });
export type MailedOrganizationInvitesInput = z.output<typeof MailedOrganizationInvitesInput>;
export const MailedEventInvitesInput = z.object({ emails, role: inviteEventRoleInput });
export type MailedEventInvitesInput = z.output<typeof MailedEventInvitesInput>;

export const InviteChangeInput = z
  .object({
    disabled: z.boolean(encodeFieldProblem("mustBeBoolean")).optional(),
    note: textChangeInput(MAX_INVITE_NOTE_LENGTH),
  })
  .refine(
    (change) => change.disabled !== undefined || change.note !== undefined,
    encodeFieldProblem("needsInviteChange"),
  );
export type InviteChangeInput = z.output<typeof InviteChangeInput>;

/** Everything that the public may see of an invite to an organization (contract 5.3). */
export const OrganizationInviteOfferOutput = z.object({
  organization: z.object({ name: z.string(), slug: z.string(), logoUrl: z.string().nullable() }),
  invite: z.object({ role: OrganizationMemberRole, expiresAt: timeOutput.nullable(), usable: z.boolean() }),
});
export type OrganizationInviteOfferRecord = z.input<typeof OrganizationInviteOfferOutput>;
