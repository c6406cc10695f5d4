import { z } from "zod";
import { encodeFieldProblem } from "#lib/i18n/error-text.ts";
import { MAX_TOKEN_NAME_LENGTH, tokenLifetimeDaysInput, User } from "#lib/accounts/schema.ts";
import { enteredPasswordInput } from "#lib/accounts/passwords.ts";
import { SERVICE_TOKEN_SCOPES, TOKEN_SCOPES } from "#lib/operation/token-scope.ts";
import {
  textChangeInput,
  emailAddressOutput,
  idInput,
  idOutput,
  limitQuery,
  singleLineInput,
  optionalTextInput,
  pageNumberQuery,
  searchQuery,
  slugInput,
  timeOutput,
  urlOutput,
  websiteInput,
} from "#lib/operation/fields.ts";
import { env } from "#lib/env.ts";

/** Maximum lengths of names and descriptions of organizations and events, in characters. */
export const MAX_ORG_OR_EVENT_NAME_LENGTH = 120;
export const MAX_ORG_OR_EVENT_DESCRIPTION_LENGTH = 5_000;

/** An organization as responses show it. */
export const Organization = z.object({
  id: idOutput,
  name: z.string(),
  slug: z.string(),
  description: z.string().nullable(),
  website: urlOutput.nullable(),
  logoUrl: urlOutput.nullable(),
  /** Members, and teams of events, need a second factor before their roles count. */
  requireSecondFactor: z.boolean(),
  /** New reports are closed to each member of the team until they answer the conflict check (contract 16.9). */
  conflictCheck: z.boolean(),
  createdAt: timeOutput,
  updatedAt: timeOutput,
});
/** An organization before it is serialized, with times as dates. */
export type OrganizationRecord = z.input<typeof Organization>;

export const OrganizationMemberRole = z.enum(["org_admin", "org_viewer"]);

/** In `/me` an organization has the caller's role, in the list of all organizations its counts. */
export const OwnOrganization = Organization.extend({ role: OrganizationMemberRole });
export const OrganizationWithCounts = Organization.extend({ memberCount: z.int(), eventCount: z.int() });

/** The columns of an organization row that a response may show. */
export const ORGANIZATION_COLUMNS = {
  id: true,
  name: true,
  slug: true,
  description: true,
  website: true,
  logoKey: true,
  requireSecondFactor: true,
  conflictCheck: true,
  createdAt: true,
  updatedAt: true,
} as const;

export type OrganizationRow = Omit<OrganizationRecord, "logoUrl"> & { logoKey: string | null };

export const toOrganizationRecord = (row: OrganizationRow): OrganizationRecord => ({
  id: row.id,
  name: row.name,
  slug: row.slug,
  description: row.description,
  website: row.website,
  logoUrl: buildOrganizationLogoUrl(row.id, row.logoKey),
  requireSecondFactor: row.requireSecondFactor,
  conflictCheck: row.conflictCheck,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
});

/** Returns the URL of the logo; null without one. */
export const buildOrganizationLogoUrl = (organizationId: string, logoKey: string | null): string | null =>
  logoKey ? `${env().baseUrl}/api/organizations/${organizationId}/logo?v=${logoKey.slice(0, 8)}` : null;

/** A URL; missing, null and blank all mean "none". */
export const optionalWebsiteInput = websiteInput.nullish().transform((value) => value || null);

/** Like `optionalWebsiteInput`, for changes: missing keeps the value, null or blank clears it. */
export const websiteChangeInput = websiteInput
  .nullable()
  .transform((value) => value || null)
  .optional();

export const NewOrganizationInput = z.object({
  name: singleLineInput(MAX_ORG_OR_EVENT_NAME_LENGTH),
  slug: slugInput,
  description: optionalTextInput(MAX_ORG_OR_EVENT_DESCRIPTION_LENGTH),
  website: optionalWebsiteInput,
  /** Whether the creator becomes an org_admin of it. A member of our own, so that nobody becomes one by default. */
  joinAsAdmin: z.boolean(encodeFieldProblem("mustBeBoolean")).default(false),
});
export type NewOrganizationInput = z.output<typeof NewOrganizationInput>;

export const OrganizationChangeInput = z.object({
  name: singleLineInput(MAX_ORG_OR_EVENT_NAME_LENGTH).optional(),
  description: textChangeInput(MAX_ORG_OR_EVENT_DESCRIPTION_LENGTH),
  website: websiteChangeInput,
  requireSecondFactor: z.boolean(encodeFieldProblem("mustBeBoolean")).optional(),
  conflictCheck: z.boolean(encodeFieldProblem("mustBeBoolean")).optional(),
});
export type OrganizationChangeInput = z.output<typeof OrganizationChangeInput>;

export const OrganizationsQuery = z.object({
  search: searchQuery,
  page: pageNumberQuery,
  limit: limitQuery(20),
});
export type OrganizationsQuery = z.output<typeof OrganizationsQuery>;

export const NewOrganizationMemberInput = z.object({ userId: idInput, role: OrganizationMemberRole });
export type NewOrganizationMemberInput = z.output<typeof NewOrganizationMemberInput>;
export const OrganizationMemberRoleChangeInput = z.object({ role: OrganizationMemberRole });
export type OrganizationMemberRoleChangeInput = z.output<typeof OrganizationMemberRoleChangeInput>;

export const NewServiceTokenInput = z.object({
  currentPassword: enteredPasswordInput,
  name: singleLineInput(MAX_TOKEN_NAME_LENGTH),
  scope: z.enum(SERVICE_TOKEN_SCOPES),
  /** The only event that the token is for; when missing, it is for the organization and its events. */
  eventId: idInput.nullish().transform((value) => value ?? null),
  expiresInDays: tokenLifetimeDaysInput,
});
export type NewServiceTokenInput = z.output<typeof NewServiceTokenInput>;

export const ServiceTokensQuery = z.object({ page: pageNumberQuery, limit: limitQuery(20) });
export type ServiceTokensQuery = z.output<typeof ServiceTokensQuery>;

export const ServiceToken = z.object({
  id: idOutput,
  name: z.string(),
  scope: z.enum(TOKEN_SCOPES),
  event: z.object({ id: idOutput, name: z.string(), slug: z.string() }).nullable(),
  expiresAt: timeOutput,
  lastUsedAt: timeOutput.nullable(),
  createdAt: timeOutput,
});
export type ServiceTokenRecord = z.input<typeof ServiceToken>;

/**
 * A member of the organization, with the role and the time of joining. `invited`: they haven't accepted yet, and
 * `email` is null until then.
 */
export const OrganizationMember = z.object({
  user: User.extend({ email: emailAddressOutput.nullable() }),
  role: OrganizationMemberRole,
  invited: z.boolean(),
  joinedAt: timeOutput,
});
export type OrganizationMemberRecord = z.input<typeof OrganizationMember>;
