import { z } from "zod";
import { encodeFieldProblem } from "#lib/i18n/error-text.ts";
import {
  idInput,
  idOutput,
  limitQuery,
  pageNumberQuery,
  Pagination,
  textInput,
  timeOutput,
} from "#lib/operation/fields.ts";

/** Shapes of the comments on an incident (contract 8.1). */

export const MAX_COMMENT_LENGTH = 10_000;
const MAX_MENTIONS = 50;

const toPersonId = (value: unknown): unknown =>
  typeof value === "object" && value !== null && "id" in value ? value.id : value;

const visibility = z.enum(["internal", "public"]);
export type CommentVisibility = z.output<typeof visibility>;

/** Ids of people, or the people as a comment has them. */
const mentions = z
  .array(z.preprocess(toPersonId, idInput), encodeFieldProblem("mustBeIds"))
  .max(MAX_MENTIONS, encodeFieldProblem("mustBeAtMost", { max: MAX_MENTIONS }));

/** The change of a comment. It may repeat the comment's `visibility`, but not change it (`refuseOtherVisibility`). */
export const CommentChangeInput = z.object({
  body: textInput(1, MAX_COMMENT_LENGTH),
  visibility: visibility.optional(),
  mentions: mentions.optional(),
});
export type CommentChangeInput = z.output<typeof CommentChangeInput>;

/** Without `visibility`, a team member writes a note and a reporter writes a message. */
export const NewCommentInput = CommentChangeInput.extend({
  /** Whether a message of the team stops the clock of the next update until the reporter writes (contract 7.11). */
  waitForReporter: z.boolean(encodeFieldProblem("mustBeBoolean")).optional(),
});
export type NewCommentInput = z.output<typeof NewCommentInput>;

const Person = z.object({ id: idOutput, name: z.string() });

const comment = {
  id: idOutput,
  incidentId: idOutput,
  /** Null once the account is gone. */
  author: Person.nullable(),
  /** The text as it was written. */
  body: z.string(),
  /** The body as HTML of paragraphs, line breaks and links. */
  html: z.string(),
  edited: z.boolean(),
  createdAt: timeOutput,
  updatedAt: timeOutput,
};

export const TeamNote = z.object({
  ...comment,
  visibility: z.literal("internal"),
  mentions: z.array(Person),
});
export type TeamNoteRecord = z.input<typeof TeamNote>;

export const ReporterMessage = z.object({
  ...comment,
  visibility: z.literal("public"),
  /** Whether the message tells the reporter the outcome (contract 7.18). */
  outcome: z.boolean(),
  /** Whether the reporter of an anonymous report wrote it, in their mailbox; it has no author then (contract 14.3). */
  fromMailbox: z.boolean(),
});
export type ReporterMessageRecord = z.input<typeof ReporterMessage>;

export const CommentOutput = z.discriminatedUnion("visibility", [TeamNote, ReporterMessage]);
export type CommentRecord = TeamNoteRecord | ReporterMessageRecord;
export const CommentResponse = z.object({ comment: CommentOutput });

export const CommentListQuery = z.object({
  page: pageNumberQuery,
  limit: limitQuery(50),
  visibility: visibility.optional(),
});
export type CommentListQuery = z.output<typeof CommentListQuery>;
export const CommentList = z.object({ comments: z.array(CommentOutput), pagination: Pagination });

export const CommentRevisionsQuery = z.object({ page: pageNumberQuery, limit: limitQuery(50) });
export type CommentRevisionsQuery = z.output<typeof CommentRevisionsQuery>;

/** The text of a comment before an edit. */
export const CommentRevision = z.object({
  id: idOutput,
  body: z.string(),
  html: z.string(),
  replacedAt: timeOutput,
});
export type CommentRevisionRecord = z.input<typeof CommentRevision>;
export const CommentRevisionListOutput = z.object({
  revisions: z.array(CommentRevision),
  pagination: Pagination,
});
