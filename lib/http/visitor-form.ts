import { randomUUID } from "node:crypto";
import type { FormState } from "#lib/design/form-state.ts";
import { saveRefusedForm, takeRefusedForm } from "#lib/http/form-drafts.ts";
import { UUID_PATTERN } from "#lib/operation/fields.ts";

/**
 * A form of somebody without an account is sealed for a random name that only its own page knows, so that a refused one
 * comes back to nobody else.
 */

export const createVisitor = (): string => `visitor ${randomUUID()}`;

/** Saves the state of a refused form. @returns the parameter under which its page gets it back */
export async function saveVisitorForm(visitor: string, state: FormState): Promise<string> {
  const id = await saveRefusedForm(visitor, state);
  return `${id}~${visitor.slice("visitor ".length)}`;
}

/** Takes back a refused form, once, with the name that it was sealed for; a new name and no form without one. */
export async function takeVisitorForm(
  parameter: string | string[] | undefined,
): Promise<{ visitor: string; returned: FormState | null }> {
  const [id, name] = typeof parameter === "string" ? parameter.split("~") : [];
  if (!name || !UUID_PATTERN.test(name)) return { visitor: createVisitor(), returned: null };
  const visitor = `visitor ${name}`;
  return { visitor, returned: await takeRefusedForm(visitor, id) };
}
