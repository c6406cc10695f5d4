import { randomUUID } from "node:crypto";
import type { FormState } from "#lib/design/form-state.ts";
import { saveRefusedForm, showRefusedForm, takeRefusedForm } from "#lib/http/form-drafts.ts";
import { UUID_PATTERN } from "#lib/operation/fields.ts";

/**
 * Forms of people without an account. A refused form is sealed for a random name that only its own page knows, so that
 * nobody else gets its content back.
 */

export const createVisitor = (): string => `visitor ${randomUUID()}`;

/**
 * Saves the state of a refused form.
 * @param tag of the opened mailbox or letterbox that alone shows the state; undefined for a page without one
 * @returns the URL parameter with which its page takes the state back
 */
export async function saveVisitorForm(visitor: string, state: FormState, tag?: string): Promise<string> {
  const id = await saveRefusedForm(buildHolder(visitor, tag), state);
  return `${id}~${visitor.slice("visitor ".length)}`;
}

/**
 * Takes the state of a refused form, once, with the name for which it was sealed. Without such a state, returns a new
 * name and no form.
 * @param opened the cookie and the tag of what is opened on this device; while the cookie is the same, the state can be
 * taken again
 */
export async function takeVisitorForm(
  parameter: string | string[] | undefined,
  opened?: { cookie: string; tag: string } | null,
): Promise<{ visitor: string; returned: FormState | null }> {
  const [id, name] = typeof parameter === "string" ? parameter.split("~") : [];
  if (!name || !UUID_PATTERN.test(name)) return { visitor: createVisitor(), returned: null };
  const visitor = `visitor ${name}`;
  const returned = opened
    ? await showRefusedForm(buildHolder(visitor, opened.tag), { id, session: opened.cookie })
    : await takeRefusedForm(visitor, id);
  return { visitor, returned };
}

const buildHolder = (visitor: string, tag: string | undefined): string =>
  tag ? `${visitor} ${tag}` : visitor;
