import { readInviteCode } from "#lib/crypto/random-code.ts";
import { UserAndMessageResponse, RegistrationResponse, RegistrationInput } from "#lib/accounts/schema.ts";
import { globalScope, createContainerScope, defineOperation } from "#lib/operation/operation.ts";
import type { PermissionSubject } from "#lib/operation/policy.ts";
import { registerUser, registerUserWithInvite } from "#lib/invites/registration.ts";

/** Registration, with or without an invite (contract 4.1). */

export const registerAccount = defineOperation({
  name: "register",
  summary: "Register an account; the first one becomes SystemAdmin",
  ignoresUnknownNames: true,
  on: globalScope,
  can: "account.open",
  input: RegistrationInput,
  output: RegistrationResponse,
  status: 201,
  location: () => "/api/users/me",
  limit: "register",
  errors: ["REGISTRATION_CLOSED", "EMAIL_TAKEN"],
  run: async ({ call }, input) => ({
    message: "Your account is ready. Sign in to continue.",
    ...(await registerUser(input, call)),
  }),
});

export const registerAccountWithInvite = defineOperation({
  name: "registerWithInvite",
  summary: "Register an account with an invite and accept its role",
  ignoresUnknownNames: true,
  on: createContainerScope(async (params): Promise<PermissionSubject & { code: string }> => ({
    code: readInviteCode(params.inviteCode ?? ""),
  })),
  can: "account.open",
  input: RegistrationInput,
  output: UserAndMessageResponse,
  status: 201,
  location: () => "/api/users/me",
  limit: "register",
  errors: ["EMAIL_TAKEN", "INVITE_EXPIRED", "INVITE_DISABLED", "INVITE_EXHAUSTED"],
  run: async ({ code, call }, input) => ({
    message: "Your account is ready, and the invite is accepted. Sign in to continue.",
    user: await registerUserWithInvite(input, code, call),
  }),
});
