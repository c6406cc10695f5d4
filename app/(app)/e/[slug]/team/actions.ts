"use server";

import { refresh } from "next/cache";
import { submit, valuesOf } from "#lib/api/form.ts";
import { type FormState, sentValues } from "#lib/design/form-state.ts";
import { nameErrors } from "#lib/design/named-errors.ts";
import { deleteEventUser, grantEventRole, revokeEventRole } from "#lib/events/operations.ts";
import { EVENT_ROLES } from "#lib/events/schema.ts";
import { changeEventInvite, createEventInvite } from "#lib/invites/event-invites.ts";

/** Gives the ticked roles that the person doesn't hold, and takes those that are not ticked any more. */
export async function changeRolesAction(_: FormState, form: FormData): Promise<FormState> {
  const { slug = "", userId = "", held = "" } = valuesOf(form);
  const ticked = form.getAll("roles");
  const before = held.split(",");
  if (ticked.length === 0) {
    const fieldErrors = { roles: "Tick at least one role, or remove the person from the event." };
    return { ok: false, fieldErrors, values: sentValues(form) };
  }
  const given = EVENT_ROLES.filter((role) => ticked.includes(role) && !before.includes(role));
  const taken = EVENT_ROLES.filter((role) => !ticked.includes(role) && before.includes(role));
  // What is given comes first: nobody is without a role in between.
  const steps = [
    ...given.map((roleName) => ({ operation: grantEventRole, roleName })),
    ...taken.map((roleName) => ({ operation: revokeEventRole, roleName })),
  ];
  for (const { operation, roleName } of steps) {
    const sent = await submit(operation, { slug }, form, () => ({ userId, roleName }));
    if (!sent.ok) {
      refresh();
      return { ...sent.state, values: sentValues(form) };
    }
  }
  refresh();
  return { ok: true };
}

export async function removePersonAction(_: FormState, form: FormData): Promise<FormState> {
  const { slug = "", userId = "" } = valuesOf(form);
  const sent = await submit(deleteEventUser, { slug, userId }, form);
  if (!sent.ok) return sent.state;
  refresh();
  return { ok: true };
}

export async function createInviteAction(_: FormState, form: FormData): Promise<FormState> {
  const { slug = "" } = valuesOf(form);
  const sent = await submit(createEventInvite, { slug }, form, inviteOf);
  if (!sent.ok) return nameErrors(sent.state, LABELS);
  refresh();
  return { ok: true, message: "The invite is ready. Its link stands below." };
}

/** A form has texts only: the time is in UTC, as the form says, and the number of uses may be left out. */
const inviteOf = ({ role, expiresAt, maxUses, note }: Record<string, string>) => ({
  role,
  note,
  expiresAt: expiresAt ? `${expiresAt}:00Z` : null,
  maxUses: maxUses ? Number(maxUses) : null,
});

const LABELS: Record<string, string> = {
  role: "The role",
  expiresAt: "The end",
  maxUses: "How many may use it",
  note: "The note",
};

export async function switchInviteAction(_: FormState, form: FormData): Promise<FormState> {
  const { slug = "", inviteId = "" } = valuesOf(form);
  const sent = await submit(changeEventInvite, { slug, inviteId }, form, ({ disabled }) => ({
    disabled: disabled === "true",
  }));
  if (!sent.ok) return sent.state;
  refresh();
  return { ok: true };
}
