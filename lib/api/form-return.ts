import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, randomUUID } from "node:crypto";
import { keyedHash } from "#lib/accounts/keyed-hash.ts";
import { UUID } from "#lib/api/text.ts";
import { db } from "#lib/db.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { env } from "#lib/env.ts";
import { unauthenticated } from "#lib/errors.ts";
import type { Actor } from "#lib/policy.ts";
import { dataKey } from "#lib/secrets.ts";

/**
 * What a form that was posted without script held when it was refused. The words wait sealed, for the person
 * who wrote them and for 15 minutes at most, until the form shows them again; showing them removes them.
 * Files are never kept.
 */

const KEPT_MINUTES = 15;
const KEPT_PER_USER = 4;
const TICKET_MS = 24 * 3600 * 1000;

/** Keeps the state of a refused form for its writer. @returns the id under which the form asks for it. */
export async function keepFormReturn(userId: string, state: FormState): Promise<string> {
  const id = randomUUID();
  const sealed = seal(JSON.stringify(state), `return:${id}:${userId}`);
  await db.$executeRaw`
    with older as (
      delete from form_returns where user_id = ${userId}::uuid and id not in (
        select id from form_returns where user_id = ${userId}::uuid order by created_at desc limit ${KEPT_PER_USER - 1})
    )
    insert into form_returns (id, user_id, sealed) values (${id}::uuid, ${userId}::uuid, ${sealed})`;
  return id;
}

/** Takes out what was kept for this user under this id; null when it is gone, too old or somebody else's. */
export async function takeFormReturn(userId: string, id: string | undefined): Promise<FormState | null> {
  if (!id || !UUID.test(id)) return null;
  const [row] = await db.$queryRaw<{ sealed: Uint8Array; fresh: boolean }[]>`
    delete from form_returns where id = ${id}::uuid and user_id = ${userId}::uuid
    returning sealed, created_at > now() - make_interval(mins => ${KEPT_MINUTES}::int) as fresh`;
  const text = row?.fresh ? open(row.sealed, `return:${id}:${userId}`) : null;
  return text === null ? null : (JSON.parse(text) as FormState);
}

/**
 * Says in a form's address, unreadable to others, for whom the form was made: should the session be gone when
 * it is sent, the words can still be kept for that person until they have signed in again. A day at most.
 */
export const formTicket = (userId: string): string =>
  seal(JSON.stringify([userId, Date.now() + TICKET_MS]), "ticket").toString("base64url");

/**
 * The name under which a device may keep the draft of a form: it says neither who writes nor where, and is another one
 * for somebody else on the same device.
 */
export const draftNameFor = (userId: string, about: string): string =>
  Buffer.from(keyedHash("draft", `${userId} ${about}`))
    .toString("base64url")
    .slice(0, 22);

/** For whom the form was made, or null when the ticket is foreign or too old. */
export function userOfTicket(ticket: string | null): string | null {
  if (!ticket || !/^[\w-]{1,300}$/.test(ticket)) return null;
  const text = open(Buffer.from(ticket, "base64url"), "ticket");
  if (text === null) return null;
  const [userId, until] = JSON.parse(text) as [string, number];
  return until > Date.now() ? userId : null;
}

/**
 * A form is sent by its writer only: in another tab somebody else may have signed in since it was made.
 * @param writer as its ticket says; null without one
 * @throws AppError UNAUTHENTICATED
 */
export function refuseOthers(actor: Actor | null, writer: string | null): void {
  if (actor && writer && writer !== actor.id) throw unauthenticated();
}

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** AES-256-GCM with a key of its own; `bound` must be the same when it is opened. */
function seal(text: string, bound: string): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key(), iv).setAAD(Buffer.from(bound));
  const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), body]);
}

function open(sealed: Uint8Array, bound: string): string | null {
  const bytes = Buffer.from(sealed);
  if (bytes.length < IV_BYTES + TAG_BYTES) return null;
  try {
    const decipher = createDecipheriv("aes-256-gcm", key(), bytes.subarray(0, IV_BYTES))
      .setAAD(Buffer.from(bound))
      .setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString(
      "utf8",
    );
  } catch {
    return null;
  }
}

const key = () => new Uint8Array(hkdfSync("sha256", dataKey(env()), "", "heed form return", 32));
