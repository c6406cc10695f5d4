"use server";

import { refresh } from "next/cache";
import { redirect } from "next/navigation";
import { pageWords } from "#components/words/page-words.ts";
import { readAgain, submit, valuesOf } from "#lib/http/form.ts";
import { type FormState, sentValues } from "#lib/design/form-state.ts";
import { deleteEventUser, grantEventRole, revokeEventRole, handOver } from "#lib/events/operations.ts";
import { leaveOwnEvent } from "#lib/own-account/operations.ts";
import { EVENT_ROLES } from "#lib/events/schema.ts";

/** Gives the ticked roles that the person doesn't hold, and takes those that are not ticked any more. */
export async function changeRolesAction(_: FormState, form: FormData): Promise<FormState> {
  const { slug = "", userId = "", held = "" } = valuesOf(form);
  const t = await pageWords("eventAdmin");
  const ticked = form.getAll("roles");
  if (ticked.length === 0)
    return { ok: false, fieldErrors: { roles: t("person.rolesNone") }, values: sentValues(form) };
  for (const { operation, roleName } of stepsBetween(held.split(","), ticked)) {
    const sent = await submit(operation, { slug }, form, () => ({ userId, roleName }));
    if (!sent.ok) {
      readAgain(sent.code);
      return { ...sent.state, values: sentValues(form) };
    }
  }
  refresh();
  return { ok: true, message: t("person.rolesSaved") };
}

/** What is given comes first: nobody is without a role in between. */
function stepsBetween(before: readonly string[], ticked: readonly FormDataEntryValue[]) {
  const given = EVENT_ROLES.filter((role) => ticked.includes(role) && !before.includes(role));
  const taken = EVENT_ROLES.filter((role) => !ticked.includes(role) && before.includes(role));
  return [
    ...given.map((roleName) => ({ operation: grantEventRole, roleName })),
    ...taken.map((roleName) => ({ operation: revokeEventRole, roleName })),
  ];
}

/** Gives the ticked reports to somebody else, or to nobody yet. */
export async function handOverAction(_: FormState, form: FormData): Promise<FormState> {
  const { slug = "", userId = "", toUserId = "" } = valuesOf(form);
  const t = await pageWords("eventAdmin");
  const incidentIds = form.getAll("incidentIds");
  if (incidentIds.length === 0)
    return { ok: false, fieldErrors: { incidentIds: t("person.whichNone") }, values: sentValues(form) };
  if (toUserId === "")
    return { ok: false, fieldErrors: { toUserId: t("person.chooseFirst") }, values: sentValues(form) };
  const wanted = { toUserId: toUserId === NOBODY ? null : toUserId, incidentIds };
  const sent = await submit(handOver, { slug, userId }, form, () => wanted);
  if (!sent.ok) {
    readAgain(sent.code);
    return { ...sent.state, values: sentValues(form) };
  }
  refresh();
  const count = sent.result.reassigned;
  return { ok: true, message: t(wanted.toUserId ? "person.handedOver" : "person.released", { count }) };
}

/** What the form sends for "nobody yet". */
const NOBODY = "nobody";

export async function removePersonAction(_: FormState, form: FormData): Promise<FormState> {
  const { slug = "", userId = "" } = valuesOf(form);
  const sent = await submit(deleteEventUser, { slug, userId }, form);
  if (!sent.ok) return sent.state;
  redirect(`/e/${slug}/team`);
}

export async function leaveAction(_: FormState, form: FormData): Promise<FormState> {
  const { eventId = "" } = valuesOf(form);
  const sent = await submit(leaveOwnEvent, { eventId }, form);
  if (!sent.ok) return sent.state;
  redirect("/inbox");
}
