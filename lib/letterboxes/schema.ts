import { z } from "zod";
import { MAX_COMMENT_LENGTH } from "#lib/comments/schema.ts";
import { MAX_RECEIPT_LENGTH } from "#lib/mailbox/schema.ts";
import {
  convertBlankToNull,
  dayInput,
  idOutput,
  pageNumberQuery,
  Pagination,
  singleLineInput,
  textInput,
  timeOutput,
} from "#lib/operation/fields.ts";

/** Shapes of letterboxes, in which reported people and witnesses write with the team (contract 14.5). */

export const LETTERBOX_KINDS = ["reported_person", "witness"] as const;
export type LetterboxKind = (typeof LETTERBOX_KINDS)[number];

/** Maximum length of the label that the team gives a letterbox, in characters. */
export const MAX_LETTERBOX_LABEL_LENGTH = 80;
/** Maximum length of each of the four parts of a decision letter, in characters. */
export const MAX_DECISION_PART_LENGTH = 5_000;
/** Maximum number of letterboxes that an incident can have, closed ones included. */
export const MAX_LETTERBOXES_PER_INCIDENT = 50;
/** Letters on one page of an opened letterbox. */
export const LETTERS_PER_PAGE = 50;

const kind = z.enum(LETTERBOX_KINDS);
const day = z.string().meta({ format: "date" });

export const NewLetterboxInput = z.object({
  kind,
  /** Names it for the team; its holder never sees it. */
  label: singleLineInput(MAX_LETTERBOX_LABEL_LENGTH),
});
export type NewLetterboxInput = z.output<typeof NewLetterboxInput>;

const decisionPart = textInput(1, MAX_DECISION_PART_LENGTH);

/** A decision letter in its four parts. */
export const Decision = z.object({
  /** A summary of the report in general words. */
  reported: z.string(),
  finding: z.string(),
  measure: z.string(),
  /** The day on which the measure ends; null where it has no end, or there is none. */
  measureEndsOn: day.nullable(),
  /** How to appeal. */
  appeal: z.string(),
});

export const NewDecisionInput = z.object({
  reported: decisionPart,
  finding: decisionPart,
  measure: decisionPart,
  measureEndsOn: z.preprocess(convertBlankToNull, dayInput.nullable()).default(null),
  appeal: decisionPart,
});
export type NewDecisionInput = z.output<typeof NewDecisionInput>;

export const NewLetterInput = z.object({ body: textInput(1, MAX_COMMENT_LENGTH) });

/** A letter from the holder. */
export const NewHolderReplyInput = z.object({
  body: textInput(1, MAX_COMMENT_LENGTH),
  /** The letter appeals against a decision. */
  appeal: z.boolean().default(false),
});
export type NewHolderReplyInput = z.output<typeof NewHolderReplyInput>;

export const LetterboxOpeningInput = z.object({
  code: textInput(1, MAX_RECEIPT_LENGTH),
  /** A solved challenge of `GET /api/mailbox/challenge`. Without one the look-up waits its turn. */
  proof: z.object({ challenge: z.string().max(200), solution: z.string().max(100) }).optional(),
});

export const OpenedLetterboxPaginationQuery = z.object({ page: pageNumberQuery });

const letterMembers = {
  id: idOutput,
  /** Null for a decision. */
  body: z.string().nullable(),
  decision: Decision.nullable(),
  /** The letter appeals against a decision. */
  appeal: z.boolean(),
  /** The UTC day on which its reader confirmed having read it. */
  readOn: day.nullable(),
};

const fileMembers = { id: idOutput, filename: z.string(), mimetype: z.string(), size: z.int() };

/** A letterbox as its holder sees it: no names, and no time finer than the day. */
export const OpenedLetterbox = z.object({
  event: z.object({ name: z.string() }),
  kind,
  /** Newest first. */
  letters: z.array(z.object({ ...letterMembers, from: z.enum(["you", "team"]), sentOn: day })),
  pagination: Pagination,
  /** The measures in the decisions that the holder was sent, newest first. */
  measures: z.array(
    z.object({ letterId: idOutput, measure: z.string(), endsOn: day.nullable(), hasEnded: z.boolean() }),
  ),
  files: z.array(z.object({ ...fileMembers, sentOn: day })),
});
export type OpenedLetterboxRecord = z.input<typeof OpenedLetterbox>;
export const OpenedLetterboxResponse = z.object({ letterbox: OpenedLetterbox });

const LetterboxPerson = z.object({ id: idOutput, name: z.string() });

/** A letterbox as the team sees it. */
export const Letterbox = z.object({
  id: idOutput,
  kind,
  label: z.string(),
  createdAt: timeOutput,
  createdBy: LetterboxPerson.nullable(),
  /** Set once the team has closed it; from then on nobody can open it. */
  closedAt: timeOutput.nullable(),
  /** Newest first. Those from the holder have the beginning of their day as time. */
  letters: z.array(
    z.object({
      ...letterMembers,
      from: z.enum(["holder", "team"]),
      author: LetterboxPerson.nullable(),
      sentAt: timeOutput,
    }),
  ),
  files: z.array(z.object(fileMembers)),
});
export type LetterboxRecord = z.input<typeof Letterbox>;
export type SerializedLetterbox = z.output<typeof Letterbox>;

export const LetterboxList = z.object({ letterboxes: z.array(Letterbox) });
export const LetterboxResponse = z.object({ letterbox: Letterbox });
/** `code`: the seven words that open it, shown this once, and `link`: where they are entered. */
export const LetterboxWithCodeResponse = LetterboxResponse.extend({ code: z.string(), link: z.string() });
