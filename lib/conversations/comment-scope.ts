import { UUID_PATTERN } from "#lib/operation/fields.ts";
import type { PathParams, OperationScopeResolvers } from "#lib/operation/operation.ts";
import { findMessageAuthorRef, findNoteAuthorRef } from "#lib/conversations/comment-queries.ts";
import type { CommentVisibility } from "#lib/conversations/comment-schema.ts";
import { createNotFoundError } from "#lib/operation/errors.ts";
import { eventScope, type EventPermissionSubject } from "#lib/events/scope.ts";
import {
  requireIncidentWithoutContent,
  type IncidentWithoutContentPermissionSubject,
} from "#lib/incidents/scope.ts";
import { can, type Actor } from "#lib/operation/policy.ts";

type CommentRef = { id: string; visibility: CommentVisibility; authorId: string | null };
export type CommentPermissionSubject = IncidentWithoutContentPermissionSubject & { comment: CommentRef };

/** The comment that a path names within an incident. For a reporter, team notes don't exist (contract 3.5, 8.1). */
export const commentScope: OperationScopeResolvers<EventPermissionSubject, CommentPermissionSubject> = {
  container: eventScope.container,
  inside: async (event, params, actor) => {
    const subject = await requireIncidentWithoutContent(event, params, actor);
    return { ...subject, comment: await resolveComment(subject, params, actor) };
  },
};

async function resolveComment(
  subject: IncidentWithoutContentPermissionSubject,
  params: PathParams,
  actor: Actor | null,
): Promise<CommentRef> {
  const id = params.commentId?.toLowerCase() ?? "";
  if (!UUID_PATTERN.test(id)) throw createNotFoundError("comment");
  const message = await findMessageAuthorRef(subject.incidentId, id);
  if (message) return { ...message, visibility: "public" };
  const note =
    can(actor, "incident.readTeamNotes", subject) && (await findNoteAuthorRef(subject.incidentId, id));
  if (note) return { ...note, visibility: "internal" };
  throw createNotFoundError("comment");
}
