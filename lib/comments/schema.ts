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

const visibility = z.enum(["internal", "public"]);
export type CommentVisibility = z.output<typeof visibility>;

const mentions = z
  .array(idInput, encodeFieldProblem("mustBeIds"))
  .max(MAX_MENTIONS, encodeFieldProblem("mustBeAtMost", { max: MAX_MENTIONS }));

/** Without `visibility`, a team member writes a note and a reporter writes a message. */
export const NewCommentInput = z.object({
  body: textInput(1, MAX_COMMENT_LENGTH),
  visibility: visibility.optional(),
  mentions: mentions.optional(),
});
export type NewCommentInput = z.output<typeof NewCommentInput>;

/** A text to preview before it is sent. */
export const CommentPreviewInput = z.object({ body: textInput(1, MAX_COMMENT_LENGTH) });
export const CommentPreview = z.object({ html: z.string() });

/** The change of a comment. It may repeat the comment's `visibility`, but not change it (`refuseOtherVisibility`). */
export const CommentChangeInput = NewCommentInput;
export type CommentChangeInput = z.output<typeof CommentChangeInput>;

const Person = z.object({ id: idOutput, name: z.string() });

const comment = {
  id: idOutput,
  incidentId: idOutput,
  /** Null once the account is gone. */
  author: Person.nullable(),
  /** Markdown, as it was written. */
  body: z.string(),
  /** The body as sanitized HTML. */
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
