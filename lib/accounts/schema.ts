import { readMailedToken } from "#lib/crypto/random-code.ts";
import { z } from "zod";
import { encodeFieldProblem } from "#lib/i18n/error-text.ts";
import {
  timeZoneChangeInput,
  emailInput,
  emailAddressOutput,
  idInput,
  idOutput,
  limitQuery,
  singleLineInput,
  pageNumberQuery,
  Pagination,
  searchQuery,
  textInput,
  timeOutput,
  urlOutput,
} from "#lib/operation/fields.ts";
import { enteredPasswordInput, newPasswordInput } from "#lib/accounts/passwords.ts";
import { env } from "#lib/env.ts";
import { LOCALES } from "#lib/i18n/locales.ts";
import { TOKEN_SCOPES } from "#lib/operation/token-scope.ts";

/** Names of people: 1 to 120 characters (contract 4.1). */
export const MAX_PERSON_NAME_LENGTH = 120;
export const personNameInput = singleLineInput(MAX_PERSON_NAME_LENGTH);

/** A user as responses show it. */
export const User = z.object({
  id: idOutput,
  email: emailAddressOutput,
  name: z.string(),
  avatarUrl: urlOutput.nullable(),
});
export type User = z.infer<typeof User>;

/** Returns the URL of an avatar; null without one. */
export const buildAvatarUrl = (userId: string, avatarKey: string | null): string | null =>
  avatarKey ? `${env().baseUrl}/api/users/${userId}/avatar?v=${avatarKey.slice(0, 8)}` : null;

/** The columns of a user row that a response may show. */
export const USER_COLUMNS = { id: true, email: true, name: true, avatarKey: true } as const;

export const toUser = (row: { id: string; email: string; name: string; avatarKey: string | null }): User => ({
  id: row.id,
  email: row.email,
  name: row.name,
  avatarUrl: buildAvatarUrl(row.id, row.avatarKey),
});

export const RegistrationInput = z.object({
  email: emailInput,
  password: newPasswordInput,
  name: personNameInput,
});
export type RegistrationInput = z.output<typeof RegistrationInput>;

/** Six digits of an app, or a recovery code; may contain spaces and hyphens. */
const factorCodeInput = textInput(1, 40);
/** Forms also send empty fields, which mean "not given". */
const optionalCodeInput = textInput(0, 40)
  .optional()
  .transform((value) => value || undefined);

/**
 * Input that a signed-in person confirms with their current password. Accepts `password`, the name of that member in
 * version 0.1 (contract 4.4).
 */
const confirmedInput = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.preprocess(
    renameFormerPassword,
    z.object({ currentPassword: enteredPasswordInput, password: formerPassword, ...shape }),
  );

/** Declared so that a body with this member isn't refused for an unknown name (contract 3.9). */
const formerPassword = enteredPasswordInput.optional().meta({
  deprecated: true,
  description: "The former name of `currentPassword`, read where that is missing.",
});

function renameFormerPassword(body: unknown): unknown {
  if (typeof body !== "object" || body === null || !("password" in body) || "currentPassword" in body)
    return body;
  const { password, ...others } = body;
  return { ...others, currentPassword: password };
}

export const SignInCredentialsInput = z.object({
  email: emailInput,
  password: enteredPasswordInput.refine((password) => password !== "", encodeFieldProblem("missing")),
  code: optionalCodeInput,
});
export const EmailAvailabilityQuery = z.object({ email: emailInput });
export const PasswordResetRequestInput = z.object({ email: emailInput });
export const PasswordResetInput = z.object({
  token: z
    .string(encodeFieldProblem("mustBeText"))
    .min(1, encodeFieldProblem("missing"))
    .transform(readMailedToken),
  newPassword: newPasswordInput,
});
const linkTokenInput = z
  .string(encodeFieldProblem("mustBeText"))
  .min(1, encodeFieldProblem("missing"))
  .max(200, encodeFieldProblem("invalidToken"))
  .transform(readMailedToken);
/** A mailed token; the password is needed without a session of the account. */
export const MailedTokenInput = z.object({
  token: linkTokenInput,
  password: enteredPasswordInput.optional().transform((value) => value || undefined),
});
/** The query of the page that a mailed link opens. */
export const MailedTokenQuery = z.object({ token: linkTokenInput });
export const MailedTokenUsability = z.object({ usable: z.boolean(), needsPassword: z.boolean() });
export const PasswordResetTokenQuery = z.object({
  token: z
    .string(encodeFieldProblem("missing"))
    .min(1, encodeFieldProblem("missing"))
    .max(20_000, encodeFieldProblem("tooLong"))
    .transform(readMailedToken),
});

export const MessageResponse = z.object({ message: z.string() });
export const UserAndMessageResponse = MessageResponse.extend({ user: User });
export const RegistrationResponse = UserAndMessageResponse.extend({
  madeSystemAdmin: z.literal(true).optional(),
});
export const EmailAvailability = z.object({ available: z.boolean() });
export const ResetTokenValidity = z.object({
  valid: z.boolean(),
  email: emailAddressOutput.optional(),
  expiresAt: timeOutput.optional(),
});

export const SessionRoles = z.object({
  system: z.array(z.literal("SystemAdmin")),
  organizations: z.array(
    z.object({ organizationId: idOutput, slug: z.string(), role: z.enum(["org_admin", "org_viewer"]) }),
  ),
  events: z.array(
    z.object({
      eventId: idOutput,
      slug: z.string(),
      roles: z.array(z.enum(["Reporter", "Responder", "Admin"])),
    }),
  ),
});

/** Response of the session check (contract 4.8). */
export const SessionCheck = z.discriminatedUnion("authenticated", [
  z.object({
    authenticated: z.literal(true),
    user: User.extend({ roles: SessionRoles, emailVerified: z.boolean() }),
  }),
  z.object({
    authenticated: z.literal(false),
    /** Nobody is signed in: a program calls with a service token. */
    serviceToken: z
      .object({
        id: idOutput,
        name: z.string(),
        scope: z.enum(TOKEN_SCOPES),
        organizationId: idOutput,
        eventId: idOutput.nullable(),
      })
      .optional(),
  }),
]);

/**
 * Public information about the installation: whether it still waits for its first account, which becomes SystemAdmin;
 * who may register; its name and support contact.
 */
export const PublicInstallationInfo = z.object({
  needsFirstAccount: z.boolean(),
  registration: z.enum(["open", "invite"]),
  name: z.string(),
  supportContact: z.string().nullable(),
});

const PlaceRef = z.object({ id: idOutput, name: z.string(), slug: z.string() });

/** The current user's account (contract 4.9). */
export const OwnAccount = z.object({
  user: User,
  /** Whether the address is verified, or doesn't have to be. */
  emailVerified: z.boolean(),
  /** Language of the interface and of mails; null: the browser's language. */
  locale: z.enum(LOCALES).nullable(),
  /** Time zone of all pages and mails; null: the event's. */
  timeZone: z.string().nullable(),
  /** Whether single-key shortcuts are on in the team's pages. */
  singleKeys: z.boolean(),
  secondFactor: z.object({
    enabled: z.boolean(),
    since: timeOutput.nullable(),
    recoveryCodesLeft: z.int(),
    /** Organizations whose roles don't count without a second factor. */
    requiredBy: z.array(PlaceRef),
  }),
  /** A change of address that waits for confirmation. */
  emailChange: z.object({ newEmail: emailAddressOutput, expiresAt: timeOutput }).nullable(),
  createdAt: timeOutput,
});
export type OwnAccountRecord = z.input<typeof OwnAccount>;

/**
 * Missing fields stay unchanged. A new address requires the password, and takes effect once it is confirmed through the
 * link that is sent to it.
 */
export const ProfileChangeInput = z
  .object({
    name: personNameInput.optional(),
    email: emailInput.optional(),
    currentPassword: enteredPasswordInput.optional(),
    locale: z.enum(LOCALES).nullable().optional(),
    timeZone: timeZoneChangeInput,
    singleKeys: z.boolean(encodeFieldProblem("mustBeBoolean")).optional(),
  })
  .refine(
    ({ name, email: address, locale, timeZone, singleKeys }) =>
      [name, address, locale, timeZone, singleKeys].some((given) => given !== undefined),
    encodeFieldProblem("needsChange"),
  );
export type ProfileChangeInput = z.output<typeof ProfileChangeInput>;
export const AccountMessageResponse = MessageResponse.extend({ account: OwnAccount });

export const PasswordChangeInput = z.object({
  currentPassword: enteredPasswordInput,
  newPassword: newPasswordInput,
});
export type PasswordChangeInput = z.output<typeof PasswordChangeInput>;

export const AccountDeletionInput = confirmedInput({ code: optionalCodeInput });
export type AccountDeletionInput = z.output<typeof AccountDeletionInput>;

export const OwnEventsQuery = z.object({ search: searchQuery, page: pageNumberQuery, limit: limitQuery(20) });
export type OwnEventsQuery = z.output<typeof OwnEventsQuery>;
export const OwnEvent = PlaceRef.extend({
  organization: PlaceRef,
  startDate: timeOutput.nullable(),
  endDate: timeOutput.nullable(),
  isActive: z.boolean(),
  roles: z.array(z.enum(["Reporter", "Responder", "Admin"])),
  joinDate: timeOutput,
  /** Whether some of the roles don't count until the person has a second factor. */
  needsSecondFactor: z.boolean(),
});
export type OwnEventRecord = z.input<typeof OwnEvent>;
export const OwnEventList = z.object({ events: z.array(OwnEvent), pagination: Pagination });

export const OwnSessionsAndTokensQuery = z.object({ page: pageNumberQuery, limit: limitQuery(20) });
export type OwnSessionsAndTokensQuery = z.output<typeof OwnSessionsAndTokensQuery>;

/** A signed-in device, described in words. */
export const OwnSession = z.object({
  id: idOutput,
  device: z.string(),
  createdAt: timeOutput,
  lastUsedAt: timeOutput,
  expiresAt: timeOutput,
  current: z.boolean(),
});
export type OwnSessionRecord = z.input<typeof OwnSession>;
export const OwnSessionList = z.object({ sessions: z.array(OwnSession), pagination: Pagination });

export const SecondFactorCodeInput = z.object({ code: factorCodeInput });
export const SecondFactorRemovalInput = confirmedInput({ code: factorCodeInput });
export const PasswordConfirmationInput = confirmedInput({});

/** The data that an authenticator app needs to enroll; `qr` is an image as a data URL. */
export const SecondFactorEnrollment = z.object({ secret: z.string(), uri: z.string(), qr: z.string() });
export const RecoveryCodesResponse = MessageResponse.extend({ recoveryCodes: z.array(z.string()) });

const TokenScope = z.enum(TOKEN_SCOPES);
export const MAX_API_TOKEN_LIFETIME_DAYS = 365;
export const MAX_TOKEN_NAME_LENGTH = 100;

/** Days until a new token expires. */
export const tokenLifetimeDaysInput = z
  .int(encodeFieldProblem("mustBeWholeDays"))
  .min(1, encodeFieldProblem("mustBeDays", { max: MAX_API_TOKEN_LIFETIME_DAYS }))
  .max(MAX_API_TOKEN_LIFETIME_DAYS, encodeFieldProblem("mustBeDays", { max: MAX_API_TOKEN_LIFETIME_DAYS }))
  .default(90);

const NewApiTokenFields = z.object({
  currentPassword: enteredPasswordInput,
  name: textInput(1, MAX_TOKEN_NAME_LENGTH),
  scope: TokenScope,
  /** The only event that the token is for. */
  eventId: idInput.nullish().transform((value) => value ?? null),
  /**
   * The only organization that the token is for, with its events. Without an event or organization, the token may do
   * everything that its owner may do.
   */
  organizationId: idInput.nullish().transform((value) => value ?? null),
  expiresInDays: tokenLifetimeDaysInput,
});
export const NewApiTokenInput = NewApiTokenFields.refine(
  ({ eventId, organizationId }) => eventId === null || organizationId === null,
  { path: ["organizationId"], message: encodeFieldProblem("eventOrOrganization") },
);
export type NewApiTokenInput = z.output<typeof NewApiTokenInput>;

export const ApiToken = z.object({
  id: idOutput,
  name: z.string(),
  scope: TokenScope,
  event: PlaceRef.nullable(),
  organization: PlaceRef.nullable(),
  expiresAt: timeOutput,
  lastUsedAt: timeOutput.nullable(),
  createdAt: timeOutput,
});
export type ApiTokenRecord = z.input<typeof ApiToken>;
export const ApiTokenList = z.object({ tokens: z.array(ApiToken), pagination: Pagination });
/** `token` is shown only in this response. */
export const CreatedApiToken = MessageResponse.extend({ token: z.string(), apiToken: ApiToken });
