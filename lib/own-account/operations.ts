import { consumeSearchLimit } from "#lib/rate-limits/rate-limits.ts";
import { z } from "zod";
import { ERROR_CODES_FOR_EVENT_IN_INPUT } from "#lib/operation/errors.ts";
import {
  createContainerScope,
  globalScope,
  defineOperation,
  requireRequestWithAbortSignal,
  type PathParams,
} from "#lib/operation/operation.ts";
import { buildPaginationFromTotal } from "#lib/operation/fields.ts";
import { avatarScope, saveOrClearAvatar } from "#lib/own-account/avatar.ts";
import { createPublicImageResponse } from "#lib/files/download/download.ts";
import { LOGO_UPLOAD_RULE, storeLogoThenSaveRow } from "#lib/files/logo.ts";
import * as verification from "#lib/accounts/email-verification.ts";
import { deleteCurrentUserAccount } from "#lib/own-account/deletion.ts";
import * as leaving from "#lib/events/leave.ts";
import { joinResponseTeam } from "#lib/events/roles.ts";
import { eventScope } from "#lib/events/scope.ts";
import * as profile from "#lib/own-account/profile.ts";
import * as queries from "#lib/accounts/queries.ts";
import {
  ApiTokenList,
  CreatedApiToken,
  AccountDeletionInput,
  SecondFactorEnrollment,
  SecondFactorCodeInput,
  SecondFactorRemovalInput,
  MessageResponse,
  AccountMessageResponse,
  UserAndMessageResponse,
  NewApiTokenInput,
  OwnAccount,
  OwnEventList,
  OwnEventsQuery,
  OwnSessionList,
  OwnSessionsAndTokensQuery,
  PasswordChangeInput,
  PasswordConfirmationInput,
  ProfileChangeInput,
  RecoveryCodesResponse,
} from "#lib/accounts/schema.ts";
import * as factors from "#lib/accounts/second-factors.ts";
import * as tokens from "#lib/accounts/tokens.ts";
import { parsePathIdOrNilUuid } from "#lib/operation/path-params.ts";
import type { PermissionSubject } from "#lib/operation/policy.ts";

/**
 * The current user's account (contract 4.9) and avatar (contract 9.4). Attempts at the password count for the person,
 * not for the address.
 */

/** A record of the current user that a path names; the statement that changes it checks whose it is. */
const ownRecordScope = (param: string) =>
  createContainerScope(async (params: PathParams): Promise<PermissionSubject & { named: string }> => ({
    named: parsePathIdOrNilUuid(params[param]),
  }));

export const showOwnAccount = defineOperation({
  name: "showOwnAccount",
  summary: "Show your own account",
  on: globalScope,
  can: "account.own",
  output: z.object({ account: OwnAccount }),
  run: async ({ actor }) => ({ account: await queries.loadOwnAccount(actor.id) }),
});

export const changeProfile = defineOperation({
  name: "changeProfile",
  summary: "Change your name or language, or request another email address",
  ignoresUnknownNames: true,
  on: globalScope,
  can: "account.own",
  input: ProfileChangeInput,
  output: AccountMessageResponse,
  errors: ["EMAIL_TAKEN"],
  run: async (context, change) => {
    await profile.changeProfile(context, change);
    const account = await queries.loadOwnAccount(context.actor.id);
    const waits = change.email !== undefined && account.emailChange !== null;
    const message = waits
      ? "Your profile was changed. To confirm the new address, open the link we've sent there."
      : "Your profile was changed.";
    return { message, account };
  },
});

export const changePassword = defineOperation({
  name: "changePassword",
  summary: "Change your password; your other sessions and all your API tokens are revoked",
  ignoresUnknownNames: true,
  on: globalScope,
  can: "account.secure",
  input: PasswordChangeInput,
  output: MessageResponse,
  run: async (context, change) => {
    await profile.changePassword(context, change);
    return {
      message:
        "Your password has been changed. All your other devices are signed out, all your API tokens are deleted, and any unconfirmed change of your email address is canceled.",
    };
  },
});

export const deleteOwnAccount = defineOperation({
  name: "deleteOwnAccount",
  summary: "Delete your account; your reports stay, without your name",
  on: globalScope,
  can: "account.secure",
  input: AccountDeletionInput,
  output: MessageResponse,
  errors: ["LAST_ADMIN"],
  run: async (context, confirmation) => {
    await deleteCurrentUserAccount(context, confirmation);
    return { message: "Your account has been deleted." };
  },
});

export const listOwnEvents = defineOperation({
  name: "listOwnEvents",
  summary: "List the events that you hold a role in",
  ignoresUnknownNames: true,
  on: globalScope,
  can: "account.own",
  input: OwnEventsQuery,
  output: OwnEventList,
  run: async ({ actor }, query) => {
    await consumeSearchLimit(actor.id, query);
    const { events, total } = await queries.listOwnEvents(actor, query);
    return { events, pagination: buildPaginationFromTotal(query, total) };
  },
});

export const joinEventTeam = defineOperation({
  name: "joinEventTeam",
  summary: "Join the response team of an event of your organization, as an Admin",
  on: eventScope,
  can: "event.joinTeam",
  output: MessageResponse,
  run: async (context) => {
    await joinResponseTeam(context);
    return { message: "You are on the response team of this event." };
  },
});

export const leaveEvent = defineOperation({
  name: "leaveEvent",
  summary: "Leave an event; all your roles in it end",
  ignoresUnknownNames: true,
  on: ownRecordScope("eventId"),
  can: "account.own",
  output: z.undefined(),
  status: 204,
  errors: ["LAST_ADMIN"],
  run: async (context) => {
    await leaving.leaveEvent(context, context.named);
    return undefined;
  },
});

export const listSessions = defineOperation({
  name: "listSessions",
  summary: "List the devices that you are signed in on",
  ignoresUnknownNames: true,
  on: globalScope,
  can: "account.secure",
  input: OwnSessionsAndTokensQuery,
  output: OwnSessionList,
  run: async ({ actor }, query) => {
    const { sessions, total } = await queries.listOwnSessions(actor, query);
    return { sessions, pagination: buildPaginationFromTotal(query, total) };
  },
});

export const endSession = defineOperation({
  name: "endSession",
  summary: "Sign out a device",
  ignoresUnknownNames: true,
  on: ownRecordScope("sessionId"),
  can: "account.secure",
  output: z.undefined(),
  status: 204,
  run: async (context) => {
    await profile.revokeOwnSession(context, context.named);
    return undefined;
  },
});

export const endOtherSessions = defineOperation({
  name: "endOtherSessions",
  summary: "Sign out all your other devices",
  on: globalScope,
  can: "account.secure",
  output: z.undefined(),
  status: 204,
  run: async (context) => {
    await profile.revokeOtherSessions(context);
    return undefined;
  },
});

export const resendVerification = defineOperation({
  name: "resendVerification",
  summary: "Send another link to confirm your email address",
  on: globalScope,
  can: "account.secure",
  output: MessageResponse,
  limit: "forgot",
  run: async ({ actor }) => {
    const sent = await verification.resendVerification(actor);
    return { message: sent ? "A new link is on its way." : "Your email address is already confirmed." };
  },
});

export const beginSecondFactor = defineOperation({
  name: "beginSecondFactor",
  summary: "Start setting up two-factor sign-in; returns the secret for your app",
  on: globalScope,
  can: "account.setUpFactor",
  input: PasswordConfirmationInput,
  output: SecondFactorEnrollment,
  run: (context, { currentPassword }) => factors.beginSecondFactor(context, currentPassword),
});

export const confirmSecondFactor = defineOperation({
  name: "confirmSecondFactor",
  summary: "Turn on two-factor sign-in with the first code from your app; returns the recovery codes",
  on: globalScope,
  can: "account.setUpFactor",
  input: SecondFactorCodeInput,
  output: RecoveryCodesResponse,
  run: async (context, { code }) => ({
    message: "Two-factor sign-in is on. Save your recovery codes now: they won't be shown again.",
    recoveryCodes: await factors.confirmSecondFactor(context, code),
  }),
});

export const removeSecondFactor = defineOperation({
  name: "removeSecondFactor",
  summary: "Turn off two-factor sign-in",
  on: globalScope,
  can: "account.secure",
  input: SecondFactorRemovalInput,
  output: MessageResponse,
  errors: ["NOT_FOUND"],
  run: async (context, proof) => {
    await factors.removeSecondFactor(context, proof);
    return { message: "Two-factor sign-in is off." };
  },
});

export const renewRecoveryCodes = defineOperation({
  name: "renewRecoveryCodes",
  summary: "Create new recovery codes; the old ones stop working",
  on: globalScope,
  can: "account.secure",
  input: PasswordConfirmationInput,
  output: RecoveryCodesResponse,
  errors: ["NOT_FOUND"],
  run: async (context, { currentPassword }) => ({
    message: "These are your new recovery codes. Save them now: they won't be shown again.",
    recoveryCodes: await factors.renewRecoveryCodes(context, currentPassword),
  }),
});

export const listTokens = defineOperation({
  name: "listTokens",
  summary: "List your API tokens",
  on: globalScope,
  can: "account.secure",
  input: OwnSessionsAndTokensQuery,
  output: ApiTokenList,
  run: async ({ actor }, query) => {
    const { tokens, total } = await queries.listApiTokens(actor.id, query);
    return { tokens, pagination: buildPaginationFromTotal(query, total) };
  },
});

export const createToken = defineOperation({
  name: "createToken",
  summary: "Create an API token; it is shown only once",
  on: globalScope,
  can: "account.createToken",
  input: NewApiTokenInput,
  output: CreatedApiToken,
  status: 201,
  once: "response",
  confirm: tokens.verifyPasswordAndApiTokenRights,
  errors: ERROR_CODES_FOR_EVENT_IN_INPUT,
  run: async (context, wanted) => {
    const { id, token } = await tokens.createToken(context, wanted);
    const message = "Save this token: we won't show it again.";
    return { message, token, apiToken: await queries.loadApiToken(id) };
  },
});

export const removeToken = defineOperation({
  name: "removeToken",
  summary: "Delete an API token",
  on: ownRecordScope("tokenId"),
  can: "account.secure",
  output: z.undefined(),
  status: 204,
  run: async (context) => {
    await tokens.revokeOwnApiToken(context, context.named);
    return undefined;
  },
});

export const uploadAvatar = defineOperation({
  name: "uploadAvatar",
  summary: "Upload your picture, replacing any earlier one",
  ignoresUnknownNames: true,
  on: globalScope,
  can: "account.own",
  body: "multipart",
  upload: { ...LOGO_UPLOAD_RULE, fields: ["avatar"] },
  limit: "upload",
  output: UserAndMessageResponse,
  errors: ["IMAGE_TOO_LARGE"],
  run: async (context) => ({
    message: "Your picture has been saved.",
    user: await storeLogoThenSaveRow(
      context.call.files,
      (image) => saveOrClearAvatar(context, image),
      "avatar",
    ),
  }),
});

export const removeAvatar = defineOperation({
  name: "removeAvatar",
  summary: "Remove your picture",
  ignoresUnknownNames: true,
  on: globalScope,
  can: "account.own",
  output: z.undefined(),
  status: 204,
  run: async (context) => {
    await saveOrClearAvatar(context, null);
    return undefined;
  },
});

export const showAvatar = defineOperation({
  name: "showAvatar",
  summary: "Download the picture of a person",
  ignoresUnknownNames: true,
  on: avatarScope,
  can: "account.viewAvatar",
  output: null,
  produces: ["image/webp"],
  errors: ["STORAGE_UNAVAILABLE"],
  run: async ({ key, type, call }) => {
    const response = await createPublicImageResponse(requireRequestWithAbortSignal(call), {
      key,
      type,
      etag: `"${key}"`,
    });
    // Only signed-in people may see avatars, so shared caches must not store them.
    response.headers.set("Cache-Control", "private, max-age=300");
    response.headers.set("Vary", "Cookie, Authorization");
    return response;
  },
});
