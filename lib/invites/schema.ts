import { z } from "zod";
import { changedText, idOut, optionalText, time, timeInput } from "#lib/operation/fields.ts";
import { inviteLink } from "#lib/crypto/random-code.ts";
import { OrganizationRole } from "#lib/organizations/schema.ts";

export const MAX_INVITE_NOTE = 500;
export const MAX_INVITE_USES = 2_147_483_647;

/** Invite as those who manage it see it. */
export const Invite = z.object({
  id: idOut,
  code: z.string(),
  role: z.enum(["org_admin", "org_viewer", "Reporter", "Responder", "Admin"]),
  url: z.string(),
  expiresAt: time.nullable(),
  maxUses: z.int().nullable(),
  useCount: z.int(),
  disabled: z.boolean(),
  note: z.string().nullable(),
  createdAt: time,
});
export type InviteRecord = z.input<typeof Invite>;

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

export type InviteRow = Omit<InviteRecord, "url" | "role"> & { role: string };

export const inviteOf = (row: InviteRow): InviteRecord => ({
  id: row.id,
  code: row.code,
  role: row.role as InviteRecord["role"],
  url: inviteLink(row.code),
  expiresAt: row.expiresAt,
  maxUses: row.maxUses,
  useCount: row.useCount,
  disabled: row.disabled,
  note: row.note,
  createdAt: row.createdAt,
});

/** What every invite may carry beside its role. `maxUses` null or missing is without limit (contract 5.3). */
const terms = {
  expiresAt: timeInput
    .refine((value) => value.getTime() > Date.now(), "must be in the future")
    .nullish()
    .transform((value) => value ?? null),
  maxUses: z
    .int(`must be a whole number from 1 to ${MAX_INVITE_USES}`)
    .min(1, "must be at least 1")
    .max(MAX_INVITE_USES, `must be at most ${MAX_INVITE_USES}`)
    .nullish()
    .transform((value) => value ?? null),
  note: optionalText(MAX_INVITE_NOTE),
};

export const NewOrganizationInvite = z.object({ role: OrganizationRole, ...terms });
export type NewOrganizationInvite = z.output<typeof NewOrganizationInvite>;

const EVENT_ROLES = ["Reporter", "Responder", "Admin"] as const;

/** Any letter case is taken, the exact name is kept (contract 2.1). */
const eventRole = z.preprocess(
  (value) =>
    EVENT_ROLES.find((role) => typeof value === "string" && role.toLowerCase() === value.toLowerCase()) ??
    value,
  z.enum(EVENT_ROLES),
);

export const NewEventInvite = z.object({ role: eventRole, ...terms });

export const InviteChange = z
  .object({ disabled: z.boolean("must be true or false").optional(), note: changedText(MAX_INVITE_NOTE) })
  .refine(
    (change) => change.disabled !== undefined || change.note !== undefined,
    "needs disabled or note, or both",
  );
export type InviteChange = z.output<typeof InviteChange>;

/** All that the public may see of an invite to an organization (contract 5.3). */
export const InviteView = z.object({
  organization: z.object({ name: z.string(), slug: z.string(), logoUrl: z.string().nullable() }),
  invite: z.object({ role: OrganizationRole, expiresAt: time.nullable(), usable: z.boolean() }),
});
export type InviteViewRecord = z.input<typeof InviteView>;
