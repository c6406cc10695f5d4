import { randomUUID } from "node:crypto";
import type { FormState } from "#lib/design/form-state.ts";
import { saveRefusedForm, showRefusedForm, takeRefusedForm } from "#lib/http/form-drafts.ts";
import { UUID_PATTERN } from "#lib/operation/fields.ts";

/**
 * Forms of people without an account. A refused form is sealed for a random name that only its own page knows, so that
 * nobody else gets its content back.
 */

export const createVisitor = (): string => `visitor ${randomUUID()}`;

/** Saves the state of a refused form. @returns the URL parameter with which its page takes the state back */
export async function saveVisitorForm(visitor: string, state: FormState): Promise<string> {
  const id = await saveRefusedForm(visitor, state);
  return `${id}~${visitor.slice("visitor ".length)}`;
}

/**
 * Takes the state of a refused form, once, with the name for which it was sealed. Without such a state, returns a new
 * name and no form.
 * @param session what is opened on this device; while it is the same, the state can be taken again
 */
export async function takeVisitorForm(
  parameter: string | string[] | undefined,
  session?: string | null,
): Promise<{ visitor: string; returned: FormState | null }> {
  const [id, name] = typeof parameter === "string" ? parameter.split("~") : [];
  if (!name || !UUID_PATTERN.test(name)) return { visitor: createVisitor(), returned: null };
  const visitor = `visitor ${name}`;
  const returned = session
    ? await showRefusedForm(visitor, { id, session })
    : await takeRefusedForm(visitor, id);
  return { visitor, returned };
}
