import { UUID } from "#lib/operation/fields.ts";
import { db } from "#lib/database/client.ts";
import { notFound } from "#lib/operation/errors.ts";
import { findIncident } from "#lib/incidents/queries.ts";
import { belongsTo, can, isWithheld, passesIn, refusal, type Actor } from "#lib/operation/policy.ts";

/** What a pin names in its body, found as if a path had named it (contract 7.14, 3.5). */

/** @throws AppError NOT_FOUND when the event is absent, FORBIDDEN when the actor has no role in it */
export async function mustBelong(actor: Actor, eventId: string): Promise<void> {
  if (belongsTo(actor, { eventId }) && !passesIn(actor, eventId)) return;
  const exists = await db.event.count({ where: { id: eventId } });
  if (exists === 0) throw notFound("This event");
  if (!passesIn(actor, eventId)) throw refusal(actor, { eventId });
}

/** As `mustBelong`. @throws AppError NOT_FOUND when the actor can't view the incident in the event, too */
export async function mustSee(actor: Actor, pinned: { incidentId: string; eventId: string }): Promise<void> {
  await mustBelong(actor, pinned.eventId);
  const incident = await findIncident(db, pinned.eventId, pinned.incidentId);
  const subject = { eventId: pinned.eventId, reporterId: incident?.reporterId ?? null };
  if (incident && can(actor, "incident.view", subject)) return;
  throw isWithheld(actor, subject) ? refusal(actor, subject) : notFound("This incident");
}

/** The id of an incident in a path, whether or not it names one. @throws AppError NOT_FOUND for what can't be an id */
export function incidentIdIn(text = ""): string {
  const wanted = text.toLowerCase();
  if (!UUID.test(wanted)) throw notFound("This incident");
  return wanted;
}
