import { randomBytes, randomUUID } from "node:crypto";
import { LRUCache } from "lru-cache";
import { equalsInConstantTime } from "#lib/crypto/constant-time.ts";
import { computeKeyedHash, deriveKeyNotOnDisk } from "#lib/crypto/keyed-hash.ts";
import { UUID_PATTERN } from "#lib/operation/fields.ts";
import { prisma } from "#lib/database/client.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { AppError, createUnauthenticatedError } from "#lib/operation/errors.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { sealText, tryUnsealText } from "#lib/crypto/sealed-text.ts";
import { DAY_MS } from "#lib/wall-clock.ts";

/**
 * Keeps the text of a form that was posted without script and refused. It is sealed for its writer, kept for at most
 * 15 minutes, and removed when the form shows it again; an opened mailbox seals it for its session
 * instead. Files are never kept. The text may be that of an anonymous report: the row has no name, and its key is only
 * in memory, not in the data folder (docs/decisions/028), so a restart makes it unreadable.
 */

const REFUSED_FORM_TTL_MINUTES = 15;
const MAX_REFUSED_FORMS_PER_USER = 4;

/**
 * A form at its limits has about 30,000 characters; most need up to three bytes. A longer one goes back in the
 * response.
 */
const MAX_REFUSED_FORM_BYTES = 96 * 1024;

/**
 * Saves the state of a refused form for its writer. `saveRefusedFormOfVisitor` is for people without an account.
 * @returns the id under which the form retrieves it
 * @throws AppError UNAUTHENTICATED for a writer without an account, PAYLOAD_TOO_LARGE for a form too large to store
 */
export async function saveRefusedFormOfUser(userId: string, state: FormState): Promise<string> {
  if (!UUID_PATTERN.test(userId)) throw createUnauthenticatedError();
  return saveRefusedFormForWriter(userId, state);
}

/**
 * Stores the state of a refused form for its writer.
 * @param writer a user id, or the random id of somebody without an account (visitor-form.ts)
 * @returns the id under which the form retrieves it
 * @throws AppError PAYLOAD_TOO_LARGE
 */
export async function saveRefusedFormForWriter(writer: string, state: FormState): Promise<string> {
  assertRefusedFormSize(state);
  const id = randomUUID();
  const sealed = sealRefusedForm(writer, id, state);
  const droppedIds = rememberRefusedForm(writer, id);
  await prisma.refusedForm.deleteMany({ where: { id: { in: droppedIds } } });
  await prisma.refusedForm.create({ data: { id, sealed }, select: { id: true } });
  return id;
}

/** Checks that a form isn't longer than one that could be accepted. @throws AppError PAYLOAD_TOO_LARGE */
export function assertRefusedFormSize(state: FormState): void {
  if (Buffer.byteLength(JSON.stringify(state)) > MAX_REFUSED_FORM_BYTES)
    throw new AppError("PAYLOAD_TOO_LARGE", "bodyTooLarge", { max: MAX_REFUSED_FORM_BYTES / 1024 });
}

/** The newest form ids of each person in this process. */
const refusedFormIdsByUser = new LRUCache<string, string[]>({ max: 10_000 });

/** @returns the ids that now exceed the limit for this user */
function rememberRefusedForm(userId: string, id: string): string[] {
  const ids = [...(refusedFormIdsByUser.get(userId) ?? []), id];
  refusedFormIdsByUser.set(userId, ids.slice(-MAX_REFUSED_FORMS_PER_USER));
  return ids.slice(0, -MAX_REFUSED_FORMS_PER_USER);
}

/** Retrieves and removes the form state of this user; null when it is gone, expired or somebody else's. */
export async function takeRefusedForm(userId: string, id: string | undefined): Promise<FormState | null> {
  const state = await findRefusedForm(userId, id);
  if (state === null) return null;
  const { count } = await prisma.refusedForm.deleteMany({ where: { id } });
  return count === 1 ? state : null;
}

/**
 * Retrieves the form state of this writer without removing it, and binds it to `session`: in that session a reload or
 * "Back" loses nothing, and people who use the device after the session find nothing.
 */
export async function findRefusedFormAndBindToSession(
  userId: string,
  { id, session }: { id: string | undefined; session: string },
): Promise<FormState | null> {
  const holder = `${userId} ${session}`;
  const shown = await findRefusedForm(holder, id);
  if (shown !== null || id === undefined) return shown;
  const state = await findRefusedForm(userId, id);
  if (state !== null)
    await prisma.refusedForm.updateMany({
      where: { id },
      data: { sealed: sealRefusedForm(holder, id, state) },
    });
  return state;
}

async function findRefusedForm(userId: string, id: string | undefined): Promise<FormState | null> {
  if (!id || !UUID_PATTERN.test(id)) return null;
  const oldest = new Date(Date.now() - REFUSED_FORM_TTL_MINUTES * 60_000);
  const row = await prisma.refusedForm.findFirst({
    where: { id, createdAt: { gt: oldest } },
    select: { sealed: true },
  });
  const text = row && tryUnsealText(buildDraftPurpose(userId, id), row.sealed, getDraftKey());
  return text === null ? null : (JSON.parse(text) as FormState);
}

const sealRefusedForm = (userId: string, id: string, state: FormState): Uint8Array<ArrayBuffer> =>
  sealText(buildDraftPurpose(userId, id), JSON.stringify(state), getDraftKey());

const buildDraftPurpose = (userId: string, id: string): string => `refused form:${id}:${userId}`;

const getDraftKey = (): Buffer => deriveKeyNotOnDisk("refused form");

/**
 * Creates a sealed form field that says for whom the form was made, unreadable to others: if the session has ended
 * when the form is sent, its text can be kept for that person until they sign in again. Valid for one day and sealed
 * with the data key. It is never part of a URL, since logs keep those.
 */
export const sealWriterIdAsFormTicket = (userId: string): string =>
  Buffer.from(sealText(TICKET_PURPOSE, JSON.stringify([userId, Date.now() + DAY_MS]))).toString("base64url");

const TICKET_PURPOSE = "form ticket";

/** In place of a user id: whoever writes a report without an account, on any device. */
export const WRITER_WITHOUT_ACCOUNT = "without account";

/**
 * Returns the name under which a device stores the draft of a form. It reveals neither the writer nor the form, and
 * differs between people who share a device.
 */
export const computeDeviceDraftName = (userId: string, formKey: string): string =>
  Buffer.from(computeKeyedHash("draft", `${userId} ${formKey}`))
    .toString("base64url")
    .slice(0, 22);

/** Returns the name under which a tab stores the draft of a report that a team member takes at an event. */
export const computeIntakeDraftName = (takerId: string, slug: string): string =>
  computeDeviceDraftName(takerId, `intake ${slug}`);

/**
 * Returns the user for whom the form was made, or null when the ticket is invalid or expired. Dots at the end of the
 * ticket make it a different idempotency key (`buildReportErrorState`) for the same person.
 */
export function readFormTicketWriterId(ticket: string | null): string | null {
  const [, sealed] = /^([\w-]{1,300})\.{0,50}$/.exec(ticket ?? "") ?? [];
  if (!sealed) return null;
  const text = tryUnsealText(TICKET_PURPOSE, Buffer.from(sealed, "base64url"));
  if (text === null) return null;
  const [userId, until] = JSON.parse(text) as [string, number];
  return until > Date.now() ? userId : null;
}

/**
 * Creates a random token for the URL that receives a form with files. It proves only that one of our pages was made
 * today or yesterday. With it, the body may be read although the session has ended; the ticket in the body names the
 * writer.
 */
export function createUploadFormUrlToken(): string {
  const nonce = randomBytes(NONCE_BYTES).toString("base64url");
  return nonce + computeUploadTokenTag(nonce, computeCurrentDay());
}

/** Returns whether `createUploadFormUrlToken` made the token today or yesterday. */
export function isValidUploadFormUrlToken(token: string | null): boolean {
  const [, nonce = "", tag = ""] = /^([\w-]{22})([\w-]{22})$/.exec(token ?? "") ?? [];
  return [computeCurrentDay(), computeCurrentDay() - 1].some((day) =>
    equalsInConstantTime(tag, computeUploadTokenTag(nonce, day)),
  );
}

/**
 * Refuses a form that someone other than its writer sends: in another tab, somebody else may have signed in since.
 * @param writer user id from the form's ticket; null without a ticket
 * @throws AppError UNAUTHENTICATED
 */
export function refuseFormOfOtherWriter(actor: Actor | null, writer: string | null): void {
  if (actor && writer && writer !== actor.id) throw createUnauthenticatedError();
}

const NONCE_BYTES = 16;

const computeCurrentDay = (): number => Math.floor(Date.now() / DAY_MS);

const computeUploadTokenTag = (nonce: string, day: number): string =>
  Buffer.from(computeKeyedHash("upload token", `${nonce} ${day}`))
    .toString("base64url")
    .slice(0, 22);
