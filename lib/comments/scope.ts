import { UUID } from "#lib/operation/fields.ts";
import type { Params, Scope } from "#lib/operation/operation.ts";
import { findMessageRef, findNoteRef } from "#lib/comments/queries.ts";
import type { Visibility } from "#lib/comments/schema.ts";
import { notFound } from "#lib/operation/errors.ts";
import { eventScope, type EventSubject } from "#lib/events/scope.ts";
import { incidentRefInside, type IncidentRefSubject } from "#lib/incidents/scope.ts";
import { can, type Actor } from "#lib/operation/policy.ts";

export type CommentRef = { id: string; visibility: Visibility; authorId: string | null };
export type CommentSubject = IncidentRefSubject & { comment: CommentRef };

/** The comment of an incident that a path names. For a reporter, notes of the team don't exist (contract 3.5, 8.1). */
export const commentScope: Scope<EventSubject, CommentSubject> = {
  container: eventScope.container,
  inside: async (event, params, actor) => {
    const subject = await incidentRefInside(event, params, actor);
    return { ...subject, comment: await commentInside(subject, params, actor) };
  },
};

async function commentInside(
  subject: IncidentRefSubject,
  params: Params,
  actor: Actor | null,
): Promise<CommentRef> {
  const id = params.commentId?.toLowerCase() ?? "";
  if (!UUID.test(id)) throw notFound("This comment");
  const message = await findMessageRef(subject.incidentId, id);
  if (message) return { ...message, visibility: "public" };
  const note = can(actor, "incident.readTeamNotes", subject) && (await findNoteRef(subject.incidentId, id));
  if (note) return { ...note, visibility: "internal" };
  throw notFound("This comment");
}
