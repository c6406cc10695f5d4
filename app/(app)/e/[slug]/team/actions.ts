"use server";

import { refresh } from "next/cache";
import { redirect } from "next/navigation";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { refreshPageAfterFormRefusal, submitFormToOperation, readFormValues } from "#lib/http/form.ts";
import { type FormState, collectRestorableFormValues } from "#lib/design/form-state.ts";
import {
  deleteEventUser,
  grantEventRole,
  revokeEventRole,
  handOverOpenIncidents,
} from "#lib/events/operations.ts";
import { letEventUserIn } from "#lib/readers/operations.ts";
import { leaveEvent } from "#lib/own-account/operations.ts";
import { EVENT_ROLES } from "#lib/events/schema.ts";

/** Grants the checked roles that the person lacks and revokes the held ones that are no longer checked. */
export async function changeEventRolesAction(_: FormState, form: FormData): Promise<FormState> {
  const { slug = "", userId = "", held = "" } = readFormValues(form);
  const t = await getTranslator("eventAdmin");
  const ticked = form.getAll("roles");
  if (ticked.length === 0)
    return {
      ok: false,
      fieldErrors: { roles: t("person.rolesNone") },
      values: collectRestorableFormValues(form),
    };
  for (const { operation, roleName } of computeRoleChanges(held.split(","), ticked)) {
    const sent = await submitFormToOperation(operation, { slug }, form, () => ({ userId, roleName }));
    if (!sent.ok) {
      refreshPageAfterFormRefusal(sent.code);
      return { ...sent.state, values: collectRestorableFormValues(form) };
    }
  }
  refresh();
  return { ok: true, message: t("person.rolesSaved") };
}

/** Grants come first, so that the person is never without a role in between. */
function computeRoleChanges(before: readonly string[], ticked: readonly FormDataEntryValue[]) {
  const addedRoles = EVENT_ROLES.filter((role) => ticked.includes(role) && !before.includes(role));
  const removedRoles = EVENT_ROLES.filter((role) => !ticked.includes(role) && before.includes(role));
  return [
    ...addedRoles.map((roleName) => ({ operation: grantEventRole, roleName })),
    ...removedRoles.map((roleName) => ({ operation: revokeEventRole, roleName })),
  ];
}

/** Lets somebody in to the hidden incidents that whoever sends the form reads. */
export async function letEventUserInAction(_: FormState, form: FormData): Promise<FormState> {
  const { slug = "", userId = "" } = readFormValues(form);
  const sent = await submitFormToOperation(letEventUserIn, { slug, userId }, form);
  if (!sent.ok) {
    refreshPageAfterFormRefusal(sent.code);
    return sent.state;
  }
  redirect(`/e/${encodeURIComponent(slug)}/team/${encodeURIComponent(userId)}?after=letIn`);
}

/** Hands the checked incidents over to another person, or unassigns them. */
export async function handOverIncidentsAction(_: FormState, form: FormData): Promise<FormState> {
  const { slug = "", userId = "", toUserId = "" } = readFormValues(form);
  const t = await getTranslator("eventAdmin");
  const incidentIds = form.getAll("incidentIds");
  if (incidentIds.length === 0)
    return {
      ok: false,
      fieldErrors: { incidentIds: t("person.whichNone") },
      values: collectRestorableFormValues(form),
    };
  if (toUserId === "")
    return {
      ok: false,
      fieldErrors: { toUserId: t("person.chooseFirst") },
      values: collectRestorableFormValues(form),
    };
  const handoverInput = { toUserId: toUserId === UNASSIGNED ? null : toUserId, incidentIds };
  const sent = await submitFormToOperation(
    handOverOpenIncidents,
    { slug, userId },
    form,
    () => handoverInput,
  );
  if (!sent.ok) {
    refreshPageAfterFormRefusal(sent.code);
    return { ...sent.state, values: collectRestorableFormValues(form) };
  }
  refresh();
  const count = sent.result.reassigned;
  return {
    ok: true,
    message: t(handoverInput.toUserId ? "person.handedOver" : "person.released", { count }),
  };
}

/** Form value for "nobody yet". */
const UNASSIGNED = "nobody";

export async function removeEventUserAction(_: FormState, form: FormData): Promise<FormState> {
  const { slug = "", userId = "" } = readFormValues(form);
  const sent = await submitFormToOperation(deleteEventUser, { slug, userId }, form);
  if (!sent.ok) return sent.state;
  redirect(`/e/${slug}/team`);
}

export async function leaveEventAction(_: FormState, form: FormData): Promise<FormState> {
  const { eventId = "" } = readFormValues(form);
  const sent = await submitFormToOperation(leaveEvent, { eventId }, form);
  if (!sent.ok) return sent.state;
  redirect("/inbox");
}
