import { z } from "zod";
import { id, idOut, limit, page, Pagination, text, time } from "#lib/operation/fields.ts";

/** Shapes of the conversation around an incident (contract 8.1). */

export const COMMENT_MAX = 10_000;
const MENTIONS_MAX = 50;

const visibility = z.enum(["internal", "public"]);
export type Visibility = z.output<typeof visibility>;

const mentions = z.array(id, "must be a list of ids").max(MENTIONS_MAX, `must be at most ${MENTIONS_MAX}`);

/** Without `visibility`: a note of the team where a member of it writes, a message where the reporter does. */
export const NewComment = z.object({
  body: text(1, COMMENT_MAX),
  visibility: visibility.optional(),
  mentions: mentions.optional(),
});
export type NewComment = z.output<typeof NewComment>;

/** What somebody is about to write, to be looked at first. */
export const Draft = z.object({ body: text(1, COMMENT_MAX) });
export const Preview = z.object({ html: z.string() });

/** A note can't become a message, nor the other way round. */
export const CommentChange = NewComment;
export type CommentChange = z.output<typeof CommentChange>;

const Person = z.object({ id: idOut, name: z.string() });

const comment = {
  id: idOut,
  incidentId: idOut,
  /** Null once the account is gone. */
  author: Person.nullable(),
  /** Markdown, as it was written. */
  body: z.string(),
  /** The same as HTML that can be shown. */
  html: z.string(),
  edited: z.boolean(),
  createdAt: time,
  updatedAt: time,
};

export const Note = z.object({ ...comment, visibility: z.literal("internal"), mentions: z.array(Person) });
export type NoteRecord = z.input<typeof Note>;

export const Message = z.object({ ...comment, visibility: z.literal("public") });
export type MessageRecord = z.input<typeof Message>;

const Comment = z.discriminatedUnion("visibility", [Note, Message]);
export type CommentRecord = NoteRecord | MessageRecord;
export const OneComment = z.object({ comment: Comment });

export const CommentQuery = z.object({ page, limit: limit(50), visibility: visibility.optional() });
export type CommentQuery = z.output<typeof CommentQuery>;
export const CommentList = z.object({ comments: z.array(Comment), pagination: Pagination });

export const RevisionQuery = z.object({ page, limit: limit(50) });
export type RevisionQuery = z.output<typeof RevisionQuery>;

/** What a comment said until it was edited. */
const Revision = z.object({ id: idOut, body: z.string(), html: z.string(), replacedAt: time });
export type RevisionRecord = z.input<typeof Revision>;
export const RevisionList = z.object({ revisions: z.array(Revision), pagination: Pagination });
