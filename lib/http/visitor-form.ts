import { randomBytes, randomUUID } from "node:crypto";
import { cookies } from "next/headers";
import { getRefusedFormSecretCookieName } from "#lib/crypto/sealed-cookie.ts";
import type { FormState } from "#lib/design/form-state.ts";
import {
  assertRefusedFormSize,
  findRefusedFormAndBindToSession,
  saveRefusedFormForWriter,
  takeRefusedForm,
} from "#lib/http/form-drafts.ts";
import { env } from "#lib/env.ts";
import { createCookieSetter } from "#lib/http/page-cookies.ts";
import { createPageCallContext } from "#lib/http/page.ts";
import { hasUsedQuickExit } from "#lib/http/quick-exit.ts";
import { UUID_PATTERN } from "#lib/operation/fields.ts";
import { consumeLimit } from "#lib/rate-limits/rate-limits.ts";

/**
 * Forms of people without an account. A refused form is sealed for a random id that only its own page knows, so that
 * nobody else gets its content back, and for a secret of its browser: a link that somebody passes on shows none of
 * their text to others, who would take it for their own.
 */

export const createRandomFormVisitorId = (): string => `visitor ${randomUUID()}`;

/** The lifetime of the browser's secret: as long as a refused form is stored. */
const SECRET_TTL_SECONDS = 15 * 60;
const SECRET_PATTERN = /^[\w-]{22}$/;

/**
 * Saves the state of a refused form for somebody without an account, and sets the cookie with the secret that this
 * browser needs to read it back. Anybody can have one stored, so they are rate-limited (docs/decisions/029); a form
 * that can't be stored goes back in the response (`createUnsentFormPageResponse`).
 * @param visitor the id from `createRandomFormVisitorId`
 * @param tag of the opened mailbox that alone shows the state; undefined for a page without one
 * @returns the URL parameter with which its page takes the state back
 * @throws AppError PAYLOAD_TOO_LARGE, RATE_LIMITED
 */
export async function saveRefusedFormOfVisitor(
  visitor: string,
  state: FormState,
  tag?: string,
): Promise<string> {
  assertRefusedFormSize(state);
  await consumeLimit("refused-form", (await createPageCallContext()).address);
  await consumeLimit("refused-forms", "all");
  const secret = await setBrowserSecret();
  const id = await saveRefusedFormForWriter(buildHolder(visitor, secret, tag), state);
  return `${id}~${visitor.slice("visitor ".length)}`;
}

/**
 * Takes the state of a refused form, once, with the id for which it was sealed. Without such a state, returns a new id
 * and no form.
 * @param opened the cookie and the tag of what is opened on this device; while the cookie is the same, the state can be
 * taken again
 */
export async function takeRefusedFormAndVisitorId(
  parameter: string | string[] | undefined,
  opened?: { cookie: string; tag: string } | null,
): Promise<{ visitor: string; returned: FormState | null }> {
  const [id, visitorUuid] = typeof parameter === "string" ? parameter.split("~") : [];
  const secret = await findBrowserSecret();
  if (!visitorUuid || !UUID_PATTERN.test(visitorUuid) || secret === null)
    return { visitor: createRandomFormVisitorId(), returned: null };
  const visitor = `visitor ${visitorUuid}`;
  const returned = opened
    ? await findRefusedFormAndBindToSession(buildHolder(visitor, secret, opened.tag), {
        id,
        session: opened.cookie,
      })
    : await takeRefusedForm(buildHolder(visitor, secret), id);
  return { visitor: returned ? visitor : createRandomFormVisitorId(), returned };
}

const buildHolder = (visitor: string, secret: string, tag?: string): string =>
  [visitor, secret, tag].filter(Boolean).join(" ");

async function findBrowserSecret(): Promise<string | null> {
  const jar = await cookies();
  if (hasUsedQuickExit((name) => jar.get(name)?.value)) return null;
  const { value = "" } = jar.get(getRefusedFormSecretCookieName()) ?? {};
  return SECRET_PATTERN.test(value) ? value : null;
}

/**
 * Sets the cookie with the browser's secret for as long as a form is stored, and returns the secret. Keeps one that the
 * browser already has, since forms of other tabs may be sealed for it.
 */
async function setBrowserSecret(): Promise<string> {
  const secret = (await findBrowserSecret()) ?? randomBytes(16).toString("base64url");
  createCookieSetter(await cookies())({
    name: getRefusedFormSecretCookieName(),
    value: secret,
    maxAge: SECRET_TTL_SECONDS,
    secure: env().https,
  });
  return secret;
}
