import { isSystemAdmin } from "#lib/operation/policy.ts";
import { loadSystemSettings } from "#lib/settings/settings.ts";
import { AppError, createUnauthenticatedError } from "#lib/operation/errors.ts";
import { requireSessionActor } from "#lib/accounts/identity.ts";
import { globalScope, defineOperation } from "#lib/operation/operation.ts";
import { consumeLimit } from "#lib/rate-limits/rate-limits.ts";
import { isEmailAvailable, isFirstAccountMissing, signIn, signOut } from "#lib/accounts/accounts.ts";
import * as verification from "#lib/accounts/email-verification.ts";
import { confirmEmailChange, loadEmailChangeByToken } from "#lib/accounts/email-change.ts";
import * as reset from "#lib/accounts/reset.ts";
import {
  EmailAvailability,
  SignInCredentialsInput,
  EmailAvailabilityQuery,
  PasswordResetRequestInput,
  MailedTokenInput,
  MailedTokenQuery,
  MailedTokenUsability,
  MessageResponse,
  UserAndMessageResponse,
  PasswordResetInput,
  SessionCheck,
  PublicInstallationInfo,
  PasswordResetTokenQuery,
  ResetTokenValidity,
} from "#lib/accounts/schema.ts";
import { createSignOutCookies, assertSameOriginToSetCookies } from "#lib/accounts/sessions.ts";
import type { Actor } from "#lib/operation/policy.ts";

/** Sign-in and mailed links (contract 4). Registration is in `lib/invites`. */

export const logIn = defineOperation({
  name: "login",
  summary: "Sign in; the response sets the session cookie",
  ignoresUnknownNames: true,
  on: globalScope,
  can: "account.open",
  input: SignInCredentialsInput,
  output: UserAndMessageResponse,
  limit: "signIn",
  errors: ["INVALID_CREDENTIALS", "SECOND_FACTOR_NEEDED", "SECOND_FACTOR_INVALID"],
  run: async ({ call }, input) => {
    assertSameOriginToSetCookies(call);
    const { user, cookies } = await signIn(input, call);
    for (const cookie of cookies) call.setCookie(cookie);
    return { message: "You are signed in.", user };
  },
});

export const logOut = defineOperation({
  name: "logout",
  summary: "Sign out and end the session; leaves an opened mailbox, too",
  ignoresUnknownNames: true,
  on: globalScope,
  can: "account.open",
  output: MessageResponse,
  limit: "none",
  errors: ["UNAUTHENTICATED"],
  run: async ({ actor, call }) => {
    if (actor?.token) throw new AppError("TOKEN_SCOPE", "tokenCannotSignOut");
    for (const cookie of createSignOutCookies()) call.setCookie(cookie);
    if (!actor) throw createUnauthenticatedError();
    await signOut(actor, call.requestId);
    return { message: "You are signed out." };
  },
});

export const checkSession = defineOperation({
  name: "session",
  summary: "Show who is signed in",
  ignoresUnknownNames: true,
  on: globalScope,
  can: "account.open",
  output: SessionCheck,
  run: async ({ actor }) =>
    actor && !actor.token?.service
      ? { authenticated: true as const, user: toSessionUser(actor) }
      : { authenticated: false as const, ...(actor && { serviceToken: toSessionServiceToken(actor) }) },
});

/** A service token is no person, so nobody is signed in (contract 2.10). */
const toSessionServiceToken = ({ id, name, token }: Actor) => ({
  id,
  name,
  scope: token?.scope ?? "read",
  organizationId: token?.organizationId ?? "",
  eventId: token?.eventId ?? null,
});

const toSessionUser = (actor: Actor) => ({
  id: actor.id,
  email: actor.email,
  name: actor.name,
  avatarUrl: actor.avatarUrl,
  emailVerified: !actor.unverified,
  roles: {
    system:
      isSystemAdmin(actor) ||
      (actor.withheld?.system && !actor.token?.eventId && !actor.token?.organizationId)
        ? ["SystemAdmin" as const]
        : [],
    organizations: [...actor.organizations, ...(actor.withheld?.organizations ?? [])],
    events: listHeldEvents(actor),
  },
});

/** Includes withheld roles: the person holds them, though they don't count yet. */
function listHeldEvents({ events, withheld }: Actor): Actor["events"] {
  if (!withheld) return events;
  const withheldOnly = withheld.events.filter(
    ({ eventId }) => !events.some((event) => event.eventId === eventId),
  );
  const all = events.map(({ provisional, ...event }) => ({
    ...event,
    roles: [
      ...(provisional ? [] : event.roles),
      ...(withheld.events.find(({ eventId }) => eventId === event.eventId)?.roles ?? []),
    ],
  }));
  return [...all, ...withheldOnly];
}

export const checkEmail = defineOperation({
  name: "checkEmail",
  summary: "Check whether an email address is free to register",
  ignoresUnknownNames: true,
  on: globalScope,
  can: "account.open",
  input: EmailAvailabilityQuery,
  output: EmailAvailability,
  limit: "lookup",
  run: async (_, { email }) => ({ available: await isEmailAvailable(email) }),
});

export const forgotPassword = defineOperation({
  name: "forgotPassword",
  summary: "Ask for a link to set a new password",
  ignoresUnknownNames: true,
  on: globalScope,
  can: "account.open",
  input: PasswordResetRequestInput,
  output: MessageResponse,
  limit: "forgot",
  run: async (_, { email }) => {
    await consumeLimit("forgot-account", email);
    await reset.requestPasswordReset(email);
    return {
      message: "If there is an account with this address, a link to set a new password is on its way.",
    };
  },
});

export const resetPassword = defineOperation({
  name: "resetPassword",
  summary:
    "Set a new password with the token from a reset link; the account's other sessions and all its API tokens are revoked",
  ignoresUnknownNames: true,
  on: globalScope,
  can: "account.open",
  input: PasswordResetInput,
  output: MessageResponse,
  limit: "login",
  errors: ["RESET_TOKEN_INVALID"],
  run: async ({ actor, call }, { token, newPassword }) => {
    const keepSession = actor ? requireSessionActor(actor).sessionId : undefined;
    await reset.resetPassword({ token, newPassword, keepSession }, call);
    return { message: "Your password was changed. Sign in with the new one." };
  },
});

export const validateResetToken = defineOperation({
  name: "validateResetToken",
  summary: "Check whether a reset token can still be used",
  ignoresUnknownNames: true,
  on: globalScope,
  can: "account.open",
  input: PasswordResetTokenQuery,
  output: ResetTokenValidity,
  limit: "lookup",
  run: async (_, { token }) => {
    const found = await reset.findPasswordReset(token);
    return found ? { valid: true, email: found.email, expiresAt: found.expiresAt } : { valid: false };
  },
});

export const confirmEmail = defineOperation({
  name: "confirmEmail",
  summary: "Confirm a change of email address with the token from its link",
  on: globalScope,
  can: "account.open",
  input: MailedTokenInput,
  output: MessageResponse,
  limit: "login",
  errors: ["CONFIRM_TOKEN_INVALID", "EMAIL_TAKEN"],
  run: async ({ actor, call }, input) => {
    if (actor) requireSessionActor(actor);
    await confirmEmailChange({ actor, call }, input);
    return { message: "The email address was changed." };
  },
});

/**
 * Shows whether a mailed link can still confirm a change of address, and whether the password is needed, for the page
 * that the link opens. API clients send the token to `confirmEmail` without this step.
 */
export const showEmailChange = defineOperation({
  name: "showEmailChange",
  summary: "Show what the link for a change of address still needs",
  on: globalScope,
  can: "account.open",
  input: MailedTokenQuery,
  output: MailedTokenUsability,
  limit: "lookup",
  run: ({ actor }, { token }) =>
    checkMailedLink(async () => {
      const { own, userId } = await loadEmailChangeByToken(token);
      return own && actor?.id !== userId;
    }),
});

export const verifyEmail = defineOperation({
  name: "verifyEmail",
  summary:
    "Confirm an account's email address with the token emailed to it, while signed in to the account or with its password; its other sessions and all its API tokens are revoked",
  on: globalScope,
  can: "account.open",
  input: MailedTokenInput,
  output: MessageResponse,
  limit: "login",
  errors: ["CONFIRM_TOKEN_INVALID"],
  run: async ({ actor, call }, input) => {
    if (actor) requireSessionActor(actor);
    await verification.verifyEmail({ actor, call }, input);
    return { message: "Your email address is confirmed." };
  },
});

/**
 * Shows whether a mailed link can still verify an address, and whether the password is needed, for the page that the
 * link opens. API clients send the token to `verifyEmail` without this step.
 */
export const checkVerificationLink = defineOperation({
  name: "checkVerificationLink",
  summary: "Show what the link that confirms an address still needs",
  on: globalScope,
  can: "account.open",
  input: MailedTokenQuery,
  output: MailedTokenUsability,
  limit: "lookup",
  run: ({ actor }, { token }) =>
    checkMailedLink(
      async () => (await verification.loadPendingEmailVerification(token)).userId !== actor?.id,
    ),
});

async function checkMailedLink(needsPassword: () => Promise<boolean>) {
  try {
    return { usable: true, needsPassword: await needsPassword() };
  } catch (error) {
    if (error instanceof AppError && error.code === "CONFIRM_TOKEN_INVALID")
      return { usable: false, needsPassword: false };
    throw error;
  }
}

export const checkSetup = defineOperation({
  name: "setup",
  summary:
    "Show what visitors can know about this installation: whether it has an account yet, and who can register",
  on: globalScope,
  can: "account.open",
  output: PublicInstallationInfo,
  run: async () => {
    const [needsFirstAccount, publicSettings] = await Promise.all([
      isFirstAccountMissing(),
      loadSystemSettings(),
    ]);
    return { needsFirstAccount, ...publicSettings };
  },
});
