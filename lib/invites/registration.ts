import { isFirstAccountMissing } from "#lib/accounts/accounts.ts";
import { mailFirstVerificationLink } from "#lib/accounts/email-verification.ts";
import { createLaneForAddress } from "#lib/rate-limits/addresses.ts";
import { hashPassword, refusePersonalPassword } from "#lib/accounts/passwords.ts";
import { USER_COLUMNS, toUser, type RegistrationInput, type User } from "#lib/accounts/schema.ts";
import { buildAccountAuditEntry } from "#lib/accounts/current-user-audit.ts";
import { appendAuditEntry } from "#lib/audit/audit.ts";
import { runTransaction, type Tx } from "#lib/database/client.ts";
import { redeemInvite } from "#lib/invites/invites.ts";
import { AppError, isUniqueViolation } from "#lib/operation/errors.ts";
import type { OperationCall } from "#lib/operation/operation.ts";
import { loadSystemSettings } from "#lib/settings/settings.ts";

/** Registers accounts, with or without an invite. */

type RegistrationResult = { user: User; madeSystemAdmin?: true };
type Caller = Pick<OperationCall, "requestId" | "address">;

/**
 * Registers an account. The very first one becomes SystemAdmin; a row that can exist only once decides which is
 * first, however many register at the same time (contract 2.5).
 * @throws AppError EMAIL_TAKEN, REGISTRATION_CLOSED, SERVICE_UNAVAILABLE
 */
export async function registerUser(
  registration: RegistrationInput,
  { requestId, address }: Caller,
): Promise<RegistrationResult> {
  await assertRegistrationOpen();
  refusePersonalPassword(registration.password, registration, "password");
  const passwordHash = await hashPassword(registration.password, createLaneForAddress(address));
  const registered = await withTakenEmailRefused(() =>
    runTransaction(async (tx) => {
      const user = await createUser(tx, registration, passwordHash);
      const first = await claimFirst(tx, user.id);
      const registrant = { userId: user.id, right: "public", requestId };
      await appendAuditEntry(
        tx,
        buildAccountAuditEntry(registrant, "account.register", { madeSystemAdmin: first }),
      );
      return first ? { user, madeSystemAdmin: true as const } : { user };
    }),
  );
  await mailFirstVerificationLink(registered.user.id, registration.email);
  return registered;
}

/** Where registration requires an invite, only the very first account may register without one (contract 4.1). */
async function assertRegistrationOpen(): Promise<void> {
  const { registration } = await loadSystemSettings();
  if (registration === "open" || (await isFirstAccountMissing())) return;
  throw new AppError("REGISTRATION_CLOSED", "registrationClosed");
}

/**
 * Registers an account with an invite: creates the account, grants the role and counts the use together or not at all
 * (contract 4.1). Redeeming the invite doesn't verify the email address, because admins can read the links of invites that were mailed, too.
 * @throws AppError EMAIL_TAKEN, NOT_FOUND, INVITE_DISABLED, INVITE_EXPIRED, INVITE_EXHAUSTED, SERVICE_UNAVAILABLE
 */
export async function registerUserWithInvite(
  registration: RegistrationInput,
  code: string,
  { requestId, address }: Caller,
): Promise<User> {
  refusePersonalPassword(registration.password, registration, "password");
  const passwordHash = await hashPassword(registration.password, createLaneForAddress(address));
  const user = await withTakenEmailRefused(() =>
    runTransaction(async (tx) => {
      const newUser = await createUser(tx, registration, passwordHash);
      await redeemInvite(tx, { code, userId: newUser.id, requestId });
      const registrant = { userId: newUser.id, right: "invite", requestId };
      await appendAuditEntry(tx, buildAccountAuditEntry(registrant, "account.register"));
      return newUser;
    }),
  );
  await mailFirstVerificationLink(user.id, registration.email);
  return user;
}

async function createUser(tx: Tx, { email, name }: RegistrationInput, passwordHash: string): Promise<User> {
  return toUser(await tx.user.create({ data: { email, name, passwordHash }, select: USER_COLUMNS }));
}

async function claimFirst(tx: Tx, userId: string): Promise<boolean> {
  const metadata = [{ key: "firstAdministrator", value: userId }];
  const { count } = await tx.installationMetadata.createMany({ data: metadata, skipDuplicates: true });
  if (count === 1)
    await tx.user.update({ where: { id: userId }, data: { systemAdmin: true }, select: { id: true } });
  return count === 1;
}

async function withTakenEmailRefused<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isUniqueViolation(error, "email")) throw error;
    throw new AppError("EMAIL_TAKEN", "emailTaken");
  }
}
