import { z } from "zod";
import { only, nothing, operation, requestOf, type Params } from "#lib/operation/operation.ts";
import { pagination } from "#lib/operation/fields.ts";
import { avatarScope, saveAvatar } from "#lib/own-account/avatar.ts";
import { imageResponse } from "#lib/files/download/download.ts";
import { LOGO_UPLOAD, withStoredLogo } from "#lib/files/logo.ts";
import { exportOwnData } from "#lib/own-account/data-export.ts";
import { resendVerification } from "#lib/accounts/email-verification.ts";
import { deleteAccount } from "#lib/own-account/deletion.ts";
import { leaveEvent } from "#lib/events/leave.ts";
import * as profile from "#lib/own-account/profile.ts";
import * as queries from "#lib/accounts/queries.ts";
import {
  ApiTokenList,
  CreatedToken,
  Deletion,
  FactorBegun,
  FactorCode,
  FactorRemoval,
  Message,
  MessageAndAccount,
  MessageAndUser,
  NewToken,
  OwnAccount,
  OwnEventList,
  OwnEventsQuery,
  OwnSessionList,
  PageQuery,
  PasswordChange,
  PasswordOnly,
  ProfileChange,
  RecoveryCodes,
} from "#lib/accounts/schema.ts";
import * as factors from "#lib/accounts/second-factors.ts";
import { createToken, removeToken } from "#lib/accounts/tokens.ts";
import { idInPath } from "#lib/operation/path-params.ts";
import type { Subject } from "#lib/operation/policy.ts";

/**
 * One's own account (contract 4.9) and picture (contract 9.4). What asks for the password counts for the person, not for
 * the address.
 */

/** The one thing of one's own that a path names; whose it is settles the statement that changes it. */
const own = (param: string) =>
  only(async (params: Params): Promise<Subject & { named: string }> => ({ named: idInPath(params[param]) }));

export const showOwnAccount = operation({
  name: "showOwnAccount",
  summary: "Your own account",
  on: nothing,
  can: "account.own",
  output: z.object({ account: OwnAccount }),
  run: async ({ actor }) => ({ account: await queries.findOwnAccount(actor.id) }),
});

export const changeProfile = operation({
  name: "changeProfile",
  summary: "Change your name or language, or ask for another e-mail address",
  on: nothing,
  can: "account.own",
  input: ProfileChange,
  output: MessageAndAccount,
  run: async (context, change) => {
    await profile.changeProfile(context, change);
    const account = await queries.findOwnAccount(context.actor.id);
    const waits = change.email !== undefined && account.emailChange !== null;
    const message = waits
      ? "Your profile is changed. Open the link that is on its way to the new address to confirm it."
      : "Your profile is changed.";
    return { message, account };
  },
});

export const changePassword = operation({
  name: "changePassword",
  summary: "Set another password; your other sessions end",
  on: nothing,
  can: "account.secure",
  input: PasswordChange,
  output: Message,
  run: async (context, change) => {
    await profile.changePassword(context, change);
    return { message: "Your new password is set. All other devices are signed out." };
  },
});

export const deleteOwnAccount = operation({
  name: "deleteOwnAccount",
  summary: "Delete your account; your reports stay, without your name",
  on: nothing,
  can: "account.secure",
  input: Deletion,
  output: Message,
  run: async (context, confirmation) => {
    await deleteAccount(context, confirmation);
    return { message: "Your account is deleted." };
  },
});

export const exportAccount = operation({
  name: "exportAccount",
  summary: "Everything about you as a file",
  on: nothing,
  can: "account.secure",
  output: null,
  produces: ["application/json"],
  limit: "search",
  run: (context) => exportOwnData(context),
});

export const listOwnEvents = operation({
  name: "listOwnEvents",
  summary: "List the events that you hold a role in",
  on: nothing,
  can: "account.own",
  input: OwnEventsQuery,
  output: OwnEventList,
  run: async ({ actor }, query) => {
    const { events, total } = await queries.listOwnEvents(actor, query);
    return { events, pagination: pagination(query, total) };
  },
});

export const leaveOwnEvent = operation({
  name: "leaveEvent",
  summary: "Leave an event: all your roles in it end",
  on: own("eventId"),
  can: "account.own",
  output: z.undefined(),
  status: 204,
  run: async (context) => {
    await leaveEvent(context, context.named);
    return undefined;
  },
});

export const listOwnSessions = operation({
  name: "listSessions",
  summary: "List the devices that you are signed in on",
  on: nothing,
  can: "account.secure",
  input: PageQuery,
  output: OwnSessionList,
  run: async ({ actor }, query) => {
    const { sessions, total } = await queries.listOwnSessions(actor, query);
    return { sessions, pagination: pagination(query, total) };
  },
});

export const endOwnSession = operation({
  name: "endSession",
  summary: "Sign a device out",
  on: own("sessionId"),
  can: "account.secure",
  output: z.undefined(),
  status: 204,
  run: async (context) => {
    await profile.endOwnSession(context, context.named);
    return undefined;
  },
});

export const endOtherSessions = operation({
  name: "endOtherSessions",
  summary: "Sign all your other devices out",
  on: nothing,
  can: "account.secure",
  output: z.undefined(),
  status: 204,
  run: async (context) => {
    await profile.endOtherSessions(context);
    return undefined;
  },
});

export const resendVerificationMail = operation({
  name: "resendVerification",
  summary: "Have another link mailed that confirms your email address",
  on: nothing,
  can: "account.secure",
  output: Message,
  limit: "forgot",
  run: async ({ actor }) => {
    const sent = await resendVerification(actor);
    return { message: sent ? "A new link is on its way." : "Your email address is confirmed already." };
  },
});

export const beginSecondFactor = operation({
  name: "beginSecondFactor",
  summary: "Begin to set up a second factor: the secret for your app",
  on: nothing,
  can: "account.setUpFactor",
  input: PasswordOnly,
  output: FactorBegun,
  run: (context, { password }) => factors.beginSecondFactor(context, password),
});

export const confirmSecondFactor = operation({
  name: "confirmSecondFactor",
  summary: "Turn the second factor on with the first code of your app; the answer holds the recovery codes",
  on: nothing,
  can: "account.setUpFactor",
  input: FactorCode,
  output: RecoveryCodes,
  run: async (context, { code }) => ({
    message: "Your second factor is on. Keep the recovery codes: they are not shown again.",
    recoveryCodes: await factors.confirmSecondFactor(context, code),
  }),
});

export const removeSecondFactor = operation({
  name: "removeSecondFactor",
  summary: "Turn the second factor off",
  on: nothing,
  can: "account.secure",
  input: FactorRemoval,
  output: Message,
  run: async (context, proof) => {
    await factors.removeSecondFactor(context, proof);
    return { message: "Your second factor is off." };
  },
});

export const renewRecoveryCodes = operation({
  name: "renewRecoveryCodes",
  summary: "Make new recovery codes; the old ones stop working",
  on: nothing,
  can: "account.secure",
  input: PasswordOnly,
  output: RecoveryCodes,
  run: async (context, { password }) => ({
    message: "These are your new recovery codes. They are not shown again.",
    recoveryCodes: await factors.renewRecoveryCodes(context, password),
  }),
});

export const listTokens = operation({
  name: "listTokens",
  summary: "List your API tokens",
  on: nothing,
  can: "account.secure",
  input: PageQuery,
  output: ApiTokenList,
  run: async ({ actor }, query) => {
    const { tokens, total } = await queries.listTokens(actor.id, query);
    return { tokens, pagination: pagination(query, total) };
  },
});

export const createApiToken = operation({
  name: "createToken",
  summary: "Make an API token; it is shown this once",
  on: nothing,
  can: "account.createToken",
  input: NewToken,
  output: CreatedToken,
  status: 201,
  run: async (context, wanted) => {
    const { id, token } = await createToken(context, wanted);
    const message = "Keep this token: it is not shown again.";
    return { message, token, apiToken: await queries.findToken(id) };
  },
});

export const removeApiToken = operation({
  name: "removeToken",
  summary: "End an API token",
  on: own("tokenId"),
  can: "account.secure",
  output: z.undefined(),
  status: 204,
  run: async (context) => {
    await removeToken(context, context.named);
    return undefined;
  },
});

export const uploadAvatar = operation({
  name: "uploadAvatar",
  summary: "Give yourself a picture, in place of the one you have",
  on: nothing,
  can: "account.own",
  body: "multipart",
  upload: { ...LOGO_UPLOAD, fields: ["avatar"] },
  limit: "upload",
  output: MessageAndUser,
  run: async (context) => ({
    message: "Your picture is saved.",
    user: await withStoredLogo(context.call.files, (image) => saveAvatar(context, image), "avatar"),
  }),
});

export const removeAvatar = operation({
  name: "removeAvatar",
  summary: "Remove your picture",
  on: nothing,
  can: "account.own",
  output: z.undefined(),
  status: 204,
  run: async (context) => {
    await saveAvatar(context, null);
    return undefined;
  },
});

export const showAvatar = operation({
  name: "showAvatar",
  summary: "The picture of a person",
  on: avatarScope,
  can: "account.viewAvatar",
  output: null,
  produces: ["image/webp"],
  run: async ({ key, type, call }) => {
    const response = await imageResponse(requestOf(call), { key, type, etag: `"${key}"` });
    // For signed-in eyes only: no cache that others share may keep it.
    response.headers.set("Cache-Control", "private, max-age=300");
    response.headers.set("Vary", "Cookie, Authorization");
    return response;
  },
});
