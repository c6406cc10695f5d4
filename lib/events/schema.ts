import { z } from "zod";
import { encodeFieldProblem } from "#lib/i18n/error-text.ts";
import { enteredPasswordInput } from "#lib/accounts/passwords.ts";
import { personNameInput, User } from "#lib/accounts/schema.ts";
import {
  convertBlankToNull,
  booleanQuery,
  timeZoneChangeInput,
  textChangeInput,
  emailInput,
  emailAddressOutput,
  idInput,
  idOutput,
  limitQuery,
  singleLineInput,
  optionalTextInput,
  optionalTimeZoneInput,
  pageNumberQuery,
  Pagination,
  searchQuery,
  eventLogoUrlInput,
  EXAMPLE_LOGO_URL,
  slugInput,
  timeOutput,
  timeInput,
  urlOutput,
  hasChange,
} from "#lib/operation/fields.ts";
import { env } from "#lib/env.ts";
import {
  websiteChangeInput,
  MAX_ORG_OR_EVENT_DESCRIPTION_LENGTH,
  MAX_ORG_OR_EVENT_NAME_LENGTH,
  optionalWebsiteInput,
} from "#lib/organizations/schema.ts";

/** A made-up URL that shows the form of one. */
export const EXAMPLE_WEBSITE = "https://example.org";

/** In characters. */
export const MAX_CODE_OF_CONDUCT_LENGTH = 20_000;

export const EVENT_ROLES = ["Reporter", "Responder", "Admin"] as const;
const EventRole = z.enum(EVENT_ROLES);

/** An event in responses, including public ones (contract 6.2). `logo` is a URL or null. */
export const EventOutput = z.object({
  id: idOutput.describe("The event."),
  organizationId: idOutput.describe("The organization that runs it."),
  name: z.string().describe("Its name."),
  slug: z.string().describe("Its name in addresses; `newSlug` changes it."),
  description: z.string().nullable().describe("What the event is, for the public."),
  startDate: timeOutput.nullable().describe("When it begins."),
  endDate: timeOutput.nullable().describe("When it ends."),
  timeZone: z
    .string()
    .nullable()
    .describe("IANA name of the zone in which the event's times are shown; null: the installation's."),
  website: urlOutput.nullable().describe("Its website."),
  contactEmail: emailAddressOutput.nullable().describe("An address for questions, shown to the public."),
  codeOfConduct: z.string().nullable().describe("The text of the code of conduct, shown to the public."),
  logo: urlOutput.nullable().describe("The address of its logo: of the uploaded image, or elsewhere."),
  isActive: z
    .boolean()
    .describe(
      "False once the event has ended: members can still report, and nobody can join without an invite.",
    ),
  createdAt: timeOutput.describe("When it was created."),
  updatedAt: timeOutput.describe("When the record last changed; `If-Match` takes it."),
});
/** An event before serialization, with times as dates. */
export type EventRecord = z.input<typeof EventOutput>;

/** The columns of an event row that a response may show. */
export const EVENT_COLUMNS = {
  id: true,
  organizationId: true,
  name: true,
  slug: true,
  description: true,
  startDate: true,
  endDate: true,
  timeZone: true,
  website: true,
  contactEmail: true,
  codeOfConduct: true,
  logoUrl: true,
  logoKey: true,
  isActive: true,
  createdAt: true,
  updatedAt: true,
} as const;

export type EventRow = Omit<EventRecord, "logo"> & { logoUrl: string | null; logoKey: string | null };

export function toEventRecord(row: EventRow): EventRecord {
  const { logoUrl, logoKey, ...event } = row;
  return { ...event, logo: buildEventLogoUrl({ id: row.id, logoUrl, logoKey }) };
}

/** Returns the logo's URL: of the uploaded file, else the external URL, else null. */
export const buildEventLogoUrl = ({
  id,
  logoUrl,
  logoKey,
}: Pick<EventRow, "id" | "logoUrl" | "logoKey">): string | null =>
  logoKey ? `${env().baseUrl}/api/events/${id}/logo?v=${logoKey.slice(0, 8)}` : logoUrl;

/** Accepts an event role in any letter case and yields its exact name (contract 2.1). */
export const eventRoleInput = z
  .string(encodeFieldProblem("mustBeOneOf", { values: "Reporter, Responder, Admin" }))
  .transform((value) => EVENT_ROLES.find((role) => role.toLowerCase() === value.toLowerCase()) ?? value)
  .pipe(EventRole);

const optionalTimeInput = z.preprocess(convertBlankToNull, timeInput.nullable()).default(null);
const optionalEmailInput = z.preprocess(convertBlankToNull, emailInput.nullable()).default(null);
const timeChangeInput = z.preprocess(convertBlankToNull, timeInput.nullable()).optional();

/** Returns whether the end isn't before the start; true when either date is missing (contract 6.1). */
export const isDateRangeValid = (startDate?: Date | null, endDate?: Date | null): boolean =>
  !startDate || !endDate || startDate <= endDate;

export const NewEventInput = z
  .object({
    name: singleLineInput(MAX_ORG_OR_EVENT_NAME_LENGTH).describe("Its name."),
    slug: slugInput.describe("Its name in addresses."),
    description: optionalTextInput(MAX_ORG_OR_EVENT_DESCRIPTION_LENGTH).describe(
      "What the event is, for the public.",
    ),
    startDate: optionalTimeInput.describe("When it begins."),
    endDate: optionalTimeInput.describe("When it ends."),
    timeZone: optionalTimeZoneInput.describe(
      "IANA name of the zone in which the event's times are shown; null: the installation's.",
    ),
    website: optionalWebsiteInput.describe("Its website."),
    contactEmail: optionalEmailInput.describe("An address for questions, shown to the public."),
    showTeam: z
      .boolean(encodeFieldProblem("mustBeBoolean"))
      .default(true)
      .describe(
        "Whether the event's page names the response team, so that reporters can say whom a report is about.",
      ),
  })
  .refine(({ startDate, endDate }) => isDateRangeValid(startDate, endDate), {
    path: ["endDate"],
    message: encodeFieldProblem("mustNotPrecedeStart"),
  });
export type NewEventInput = z.output<typeof NewEventInput>;

/**
 * The path of an uploaded logo, below any of its addresses. Reading an event gives one; sent back, it means that the
 * logo stays.
 */
const UPLOADED_LOGO_PATH = /^\/(?:api\/)?events\/([0-9a-f-]{36}|slug\/[a-z0-9-]+)\/logo$/;

/**
 * Returns the id of the event, or `slug/` and its slug, whose uploaded logo a URL of this service shows; undefined for
 * any other URL.
 */
export function findEventOfLogoUrl(url: string): string | undefined {
  const { baseUrl } = env();
  const { origin, pathname } = URL.parse(url, baseUrl) ?? {};
  return origin === new URL(baseUrl).origin ? UPLOADED_LOGO_PATH.exec(pathname ?? "")?.[1] : undefined;
}

/** An https URL, the address of an uploaded logo as it was read, or null to remove the logo. */
const eventLogoChangeInput = z
  .preprocess(
    convertBlankToNull,
    z
      .string(encodeFieldProblem("mustBeHttps"))
      .transform((value) => value.trim())
      .refine(
        (value) => findEventOfLogoUrl(value) !== undefined || eventLogoUrlInput.safeParse(value).success,
        encodeFieldProblem("mustBeHttpsLike", { example: EXAMPLE_LOGO_URL }),
      )
      .meta({ type: "string", format: "uri-reference", maxLength: 500 })
      .nullable(),
  )
  .optional();

/** A change has at least one member. Missing members stay; null or blank clears one (contract 6.1). */
export const EventChangeInput = z
  .object({
    name: singleLineInput(MAX_ORG_OR_EVENT_NAME_LENGTH).optional(),
    newSlug: slugInput.optional(),
    description: textChangeInput(MAX_ORG_OR_EVENT_DESCRIPTION_LENGTH),
    logo: eventLogoChangeInput,
    startDate: timeChangeInput,
    endDate: timeChangeInput,
    timeZone: timeZoneChangeInput,
    website: websiteChangeInput,
    codeOfConduct: textChangeInput(MAX_CODE_OF_CONDUCT_LENGTH),
    contactEmail: z.preprocess(convertBlankToNull, emailInput.nullable()).optional(),
    isActive: z.boolean(encodeFieldProblem("mustBeBoolean")).optional(),
  })
  .refine(hasChange, encodeFieldProblem("needsChange"));
export type EventChangeInput = z.output<typeof EventChangeInput>;

/** `startDate` is the first day, `reports` the number of reports. */
export const EVENT_SORTS = ["createdAt", "name", "startDate", "reports"] as const;

export const OrganizationEventsQuery = z.object({
  search: searchQuery,
  isActive: booleanQuery.optional(),
  sort: z.enum(EVENT_SORTS).default("createdAt"),
  order: z.enum(["asc", "desc"]).default("desc"),
  page: pageNumberQuery,
  limit: limitQuery(20),
});
export type OrganizationEventsQuery = z.output<typeof OrganizationEventsQuery>;

/**
 * A person with a role in the event, listed once however many roles they have (contract 6.3). Reporters see only
 * names, roles and pictures.
 */
export const EventUser = z.object({
  id: idOutput,
  name: z.string(),
  email: emailAddressOutput.nullable(),
  avatarUrl: urlOutput.nullable(),
  roles: z.array(EventRole),
  /** Hasn't accepted yet; until then `email` is null, and so is `lastActivity` except for SystemAdmins. */
  invited: z.boolean(),
  joinDate: timeOutput.nullable(),
  lastActivity: timeOutput.nullable(),
});
export type EventUserRecord = z.input<typeof EventUser>;
export const EventUserList = z.object({
  users: z.array(EventUser),
  total: z.int(),
  pagination: Pagination,
});

export const EventUsersQuery = z.object({
  search: searchQuery,
  sort: z.enum(["name", "email", "role"]).default("name"),
  order: z.enum(["asc", "desc"]).default("asc"),
  page: pageNumberQuery,
  limit: limitQuery(20),
  role: eventRoleInput.optional(),
  /** Only the response team, or only the people who are Reporter and nothing else. */
  group: z.enum(["team", "reporters"]).optional(),
});
export type EventUsersQuery = z.output<typeof EventUsersQuery>;

/** The query of the path that names the event by id: without `limit`, it lists everybody on one page. */
export const EveryEventUserQuery = z.object({
  page: pageNumberQuery,
  limit: limitQuery(100).unwrap().optional(),
});
export type EveryEventUserQuery = z.output<typeof EveryEventUserQuery>;

export const EventUserProfile = z.object({
  user: User.extend({ email: emailAddressOutput.nullable() }),
  roles: z.array(EventRole),
  invited: z.boolean(),
  joinDate: timeOutput,
  lastActivity: timeOutput.nullable(),
});
export type EventUserProfileRecord = z.input<typeof EventUserProfile>;

export const EventUserChangeInput = z.object({
  name: personNameInput,
  email: emailInput,
  role: eventRoleInput,
  /** Needed to change one's own address. */
  currentPassword: enteredPasswordInput.optional(),
});
export type EventUserChangeInput = z.output<typeof EventUserChangeInput>;

export const EventRoleAssignmentInput = z.object({ userId: idInput, roleName: eventRoleInput });
export type EventRoleAssignmentInput = z.output<typeof EventRoleAssignmentInput>;

export const UserEventRole = z.object({
  id: idOutput,
  userId: idOutput,
  eventId: idOutput,
  roleName: EventRole,
  createdAt: timeOutput,
});
export type UserEventRoleRecord = z.input<typeof UserEventRole>;

export const EventUserActivityEntry = z.object({
  id: idOutput,
  type: z.enum(["report", "comment", "audit"]),
  action: z.string(),
  title: z.string(),
  incidentId: idOutput.nullable(),
  timestamp: timeOutput,
});
export type EventUserActivityEntryRecord = z.input<typeof EventUserActivityEntry>;

export const EventUserActivityQuery = z.object({ page: pageNumberQuery, limit: limitQuery(20) });
export type EventUserActivityQuery = z.output<typeof EventUserActivityQuery>;
