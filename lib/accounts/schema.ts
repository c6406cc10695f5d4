import { z } from "zod";
import { email, idOut, text, time } from "#lib/api/text.ts";
import { givenPassword, newPassword } from "#lib/accounts/passwords.ts";
import { env } from "#lib/env.ts";

/** Names of people: 1 to 120 characters (rulings R3). */
export const MAX_PERSON_NAME = 120;
export const personName = text(1, MAX_PERSON_NAME);

/** User as responses show it (rulings R4). */
export const User = z.object({
  id: idOut,
  email: z.string(),
  name: z.string(),
  avatarUrl: z.string().nullable(),
});
export type User = z.infer<typeof User>;

/** Where an avatar is served; null without one. */
export const avatarUrl = (userId: string, avatarKey: string | null): string | null =>
  avatarKey ? `${env().baseUrl}/api/users/${userId}/avatar?v=${avatarKey.slice(0, 8)}` : null;

/** The columns of a user row that a response may show. */
export const USER_COLUMNS = { id: true, email: true, name: true, avatarKey: true } as const;

export const userOf = (row: { id: string; email: string; name: string; avatarKey: string | null }): User => ({
  id: row.id,
  email: row.email,
  name: row.name,
  avatarUrl: avatarUrl(row.id, row.avatarKey),
});

export const Registration = z.object({ email, password: newPassword, name: personName });
export type Registration = z.output<typeof Registration>;

export const Credentials = z.object({ email, password: givenPassword });
export const EmailQuery = z.object({ email });
export const ForgotPassword = z.object({ email });
export const ResetPassword = z.object({
  token: z.string("must be text").min(1, "is missing").max(200, "is not a token"),
  newPassword,
});
export const TokenQuery = z.object({
  token: z.string("is missing").min(1, "is missing").max(20_000, "is too long"),
});

export const Message = z.object({ message: z.string() });
export const MessageAndUser = Message.extend({ user: User });
export const Registered = MessageAndUser.extend({ madeSystemAdmin: z.literal(true).optional() });
export const Availability = z.object({ available: z.boolean() });
export const TokenValidity = z.object({
  valid: z.boolean(),
  email: z.string().optional(),
  expiresAt: time.optional(),
});

const SessionRoles = z.object({
  system: z.array(z.literal("SystemAdmin")),
  organizations: z.array(
    z.object({ organizationId: idOut, slug: z.string(), role: z.enum(["org_admin", "org_viewer"]) }),
  ),
  events: z.array(
    z.object({
      eventId: idOut,
      slug: z.string(),
      roles: z.array(z.enum(["Reporter", "Responder", "Admin"])),
    }),
  ),
});

/** What the session check answers (interface 4.1; rulings R3). */
export const SessionCheck = z.object({
  authenticated: z.boolean(),
  user: User.extend({ roles: SessionRoles }).optional(),
});

/** Does the installation still wait for its first account, which becomes SystemAdmin? */
export const Setup = z.object({ needsFirstAccount: z.boolean() });
