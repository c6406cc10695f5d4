import { z } from "zod";
import { createFieldProblem } from "#lib/i18n/error-text.ts";
import { defineOperation } from "#lib/operation/operation.ts";
import { consumeLimit } from "#lib/rate-limits/rate-limits.ts";
import { buildPaginationFromTotal } from "#lib/operation/fields.ts";
import { editOwnMessage, removeMessage, writeMessage } from "#lib/conversations/comment-messages.ts";
import { editOwnNote, removeNote, writeNote } from "#lib/conversations/notes.ts";
import {
  listCommentsForReporter,
  listCommentsForTeam,
  listRevisions,
} from "#lib/conversations/comment-queries.ts";
import {
  CommentChangeInput,
  CommentList,
  CommentListQuery,
  NewCommentInput,
  CommentResponse,
  CommentRevisionListOutput,
  CommentRevisionsQuery,
  type CommentVisibility,
} from "#lib/conversations/comment-schema.ts";
import { commentScope, type CommentPermissionSubject } from "#lib/conversations/comment-scope.ts";
import { AppError, InvalidInputError } from "#lib/operation/errors.ts";
import { recordIncidentAccessByOperation } from "#lib/incidents/access.ts";
import { incidentWithoutContentScope } from "#lib/incidents/scope.ts";
import { can, requirePermission, type Actor, type PermissionSubject } from "#lib/operation/policy.ts";

/** Comments on an incident (contract 8.1): messages to and from its reporter, and team notes. */

export const listComments = defineOperation({
  name: "listComments",
  summary: "List team notes and messages, oldest first; a Reporter sees only messages",
  ignoresUnknownNames: true,
  on: incidentWithoutContentScope,
  rolesIn: "event",
  can: "incident.readComments",
  input: CommentListQuery,
  output: CommentList,
  run: async (context, query) => {
    const { actor, incidentId } = context;
    const team = canReadNotes(actor, context);
    if (query.visibility === "internal" && !team) throw new AppError("FORBIDDEN", "teamNotesOnly");
    await recordIncidentAccessByOperation(context, { kind: "view" });
    const { comments, total } = await (team ? listCommentsForTeam : listCommentsForReporter)(
      incidentId,
      query,
    );
    return { comments, pagination: buildPaginationFromTotal(query, total) };
  },
});

export const createComment = defineOperation({
  name: "createComment",
  summary: "Write a team note, or a message to or from the reporter",
  ignoresUnknownNames: true,
  on: incidentWithoutContentScope,
  rolesIn: "event",
  can: "incident.writeComments",
  input: NewCommentInput,
  output: CommentResponse,
  status: 201,
  once: "response",
  run: async (context, input) => {
    const team = canReadNotes(context.actor, context);
    const visibility = input.visibility ?? (team ? "internal" : "public");
    if (visibility === "internal" && !team) throw new AppError("FORBIDDEN", "teamNotesOnly");
    if (visibility === "internal") return { comment: await writeNote(context, input) };
    refuseMentions(input);
    if (!team) await consumeLimit("message", `${context.actor.id} ${context.incidentId}`);
    return { comment: await writeMessage(context, input) };
  },
});

export const changeComment = defineOperation({
  name: "changeComment",
  summary: "Edit your own comment; its earlier text is kept",
  ignoresUnknownNames: true,
  on: commentScope,
  rolesIn: "event",
  can: "incident.writeComments",
  input: CommentChangeInput,
  output: CommentResponse,
  ifMatch: true,
  run: async (context, change) => {
    const { comment } = context;
    assertCommentAuthor(context.actor, context);
    refuseOtherVisibility(comment.visibility, change);
    if (comment.visibility === "internal") return { comment: await editOwnNote(context, comment.id, change) };
    refuseMentions(change);
    if (!canReadNotes(context.actor, context))
      await consumeLimit("message", `${context.actor.id} ${context.incidentId}`);
    return { comment: await editOwnMessage(context, comment.id, change) };
  },
});

export const deleteComment = defineOperation({
  name: "deleteComment",
  summary: "Delete a comment and its earlier texts: your own, or as Admin anyone's",
  ignoresUnknownNames: true,
  on: commentScope,
  rolesIn: "event",
  can: "incident.writeComments",
  output: z.undefined(),
  status: 204,
  ifMatch: true,
  run: async (context) => {
    const { actor, comment } = context;
    const right =
      comment.authorId === actor.id
        ? context.right
        : requirePermission(actor, "incident.deleteAnyComment", pickIncidentSubject(context));
    const remove = comment.visibility === "internal" ? removeNote : removeMessage;
    await remove({ ...context, right }, comment.id);
    return undefined;
  },
});

export const listCommentRevisions = defineOperation({
  name: "listCommentRevisions",
  summary: "List the earlier texts of a comment, oldest first; for the team and the author",
  on: commentScope,
  rolesIn: "event",
  can: "incident.readComments",
  input: CommentRevisionsQuery,
  output: CommentRevisionListOutput,
  run: async (context, query) => {
    const { actor, comment } = context;
    if (!canReadNotes(actor, context)) assertCommentAuthor(actor, context);
    await recordIncidentAccessByOperation(context, { kind: "view" });
    const { revisions, total } = await listRevisions(comment, query);
    return { revisions, pagination: buildPaginationFromTotal(query, total) };
  },
});

const canReadNotes = (actor: Actor, subject: PermissionSubject): boolean =>
  can(actor, "incident.readTeamNotes", pickIncidentSubject(subject));

const pickIncidentSubject = ({
  organizationId,
  eventId,
  incidentId,
  inEmergency,
}: PermissionSubject): PermissionSubject => ({
  ...(organizationId ? { organizationId } : {}),
  ...(eventId ? { eventId } : {}),
  ...(incidentId ? { incidentId } : {}),
  ...(inEmergency ? { inEmergency } : {}),
});

function assertCommentAuthor(actor: Actor, { comment }: CommentPermissionSubject): void {
  if (comment.authorId !== actor.id) throw new AppError("FORBIDDEN", "commentAuthorOnly");
}

/**
 * Refuses a change of visibility instead of ignoring it: otherwise somebody might believe that their message is now a
 * note.
 */
function refuseOtherVisibility(present: CommentVisibility, { visibility }: CommentChangeInput): void {
  if (visibility && visibility !== present)
    throw new InvalidInputError({ visibility: createFieldProblem("visibilityIsFixed") });
}

function refuseMentions({ mentions }: { mentions?: string[] | undefined }): void {
  if (mentions && mentions.length > 0)
    throw new InvalidInputError({ mentions: createFieldProblem("mentionsInNotesOnly") });
}
