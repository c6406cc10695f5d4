import { z } from "zod";
import { MAX_COMMENT_LENGTH } from "#lib/conversations/comment-schema.ts";
import { incidentStateSchema, NewIncidentInput, severitySchema } from "#lib/incidents/schema.ts";
import { DAY_PARTS } from "#lib/incident-time.ts";
import { RetentionDate } from "#lib/retention/schema.ts";
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

/** Shapes of conversations: what the team reads and writes, and what a person with seven words does (contract 14). */

/** Whom the team can open a conversation with. Every incident has one with its reporter. */
export const OTHER_PARTIES = ["reported_person", "witness"] as const;
export type OtherParty = (typeof OTHER_PARTIES)[number];

/** Maximum length of the label that the team gives a conversation, in characters. */
export const MAX_CONVERSATION_LABEL_LENGTH = 80;
/** Maximum length of each of the four parts of a decision, in characters. */
export const MAX_DECISION_PART_LENGTH = 5_000;
/** Maximum number of conversations that the team can open on an incident, closed ones included. */
export const MAX_CONVERSATIONS_PER_INCIDENT = 50;

/** The most characters accepted for the words: seven, and any separators between them. */
export const MAX_WORDS_LENGTH = 300;

/** A report without an account. It doesn't say who sent it; the team reaches the sender through the mailbox only. */
export const NewReportWithoutAccountInput = NewIncidentInput.omit({ anonymous: true, contactMethod: true });
export type NewReportWithoutAccountInput = z.output<typeof NewReportWithoutAccountInput>;

const receipt = z.string().meta({
  description: "Seven words that open the mailbox. They are shown once and stored nowhere.",
});

export const ReportReceiptResponse = z.object({ receipt });

export const ReceiptChallenge = z.object({
  challenge: z.string(),
  /** How many zero bits the SHA-256 of `challenge` followed by `solution` begins with. */
  bits: z.int(),
});

export const MailboxOpeningInput = z.object({
  /** The seven words: of a receipt, or those that the team gave to somebody else. */
  words: textInput(1, MAX_WORDS_LENGTH),
  /** A solved challenge. Without one the look-up waits its turn. */
  proof: z.object({ challenge: z.string().max(200), solution: z.string().max(100) }).optional(),
});

export const NewMailboxMessageInput = z.object({
  body: textInput(1, MAX_COMMENT_LENGTH),
  /** The message appeals against a decision. Reporters get no decisions to appeal against. */
  appeal: z.boolean().default(false),
});
export type NewMailboxMessageInput = z.output<typeof NewMailboxMessageInput>;

export const MailboxPaginationQuery = z.object({ page: pageNumberQuery });

/** Maximum number of messages on one page of the mailbox. */
export const MAILBOX_MESSAGES_PER_PAGE = 50;

const day = z.string().meta({ format: "date" });

/** A decision in its four parts. */
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

export const MailboxMessage = z.object({
  id: idOutput,
  from: z.enum(["you", "team"]),
  /** The author's name, for a reporter whose event shows its team; null otherwise. */
  name: z.string().nullable(),
  kind: z.enum(["message", "outcome", "decision", "appeal"]),
  /** Null for a decision. */
  body: z.string().nullable(),
  /** The body as sanitized HTML. */
  html: z.string().nullable(),
  decision: Decision.nullable(),
  /** The UTC day on which its reader confirmed having read it; reporters confirm nothing. */
  readOn: day.nullable(),
  /**
   * For a reporter, messages from the mailbox have the quarter of an hour in which they were sent. For everybody else
   * all messages have the beginning of their UTC day.
   */
  createdAt: timeOutput,
});

export const MailboxFile = z.object({
  id: idOutput,
  filename: z.string(),
  mimetype: z.string(),
  size: z.int(),
  description: z.string().nullable(),
  from: z.enum(["you", "team"]),
});

/** What every mailbox has, whoever opened it. */
const mailboxMembers = {
  files: z.array(MailboxFile),
  /** Oldest first. */
  messages: z.array(MailboxMessage),
  pagination: Pagination,
};

const ReporterMailbox = z.object({
  party: z.literal("reporter"),
  ...mailboxMembers,
  event: z.object({ name: z.string(), slug: z.string(), contactEmail: z.string().nullable() }),
  report: z.object({
    title: z.string(),
    description: z.string(),
    type: z.string().nullable(),
    location: z.string().nullable(),
    parties: z.string().nullable(),
    /** As the reporter chose it. */
    severity: severitySchema.nullable(),
    incidentAt: timeOutput.nullable(),
    /** The day on which it happened, where the reporter gave no time, and the part of that day. */
    incidentOn: day.nullable(),
    incidentDayPart: z.enum(DAY_PARTS).nullable(),
    /** The quarter of an hour in which it was sent. */
    createdAt: timeOutput,
  }),
  state: incidentStateSchema,
  /** The team's decision, in its words to the reporter. */
  outcome: z.string().nullable(),
  /** How many people have read the report, and the UTC day of the latest time; deliberately no finer. */
  readBy: z.int(),
  lastReadOn: day.nullable(),
  /** The UTC day on which a SystemAdmin last opened the report though it is hidden from them; null if none did. */
  openedInEmergencyOn: day.nullable(),
  /** The people who can't read the report: by name where the event shows its team, otherwise null for each. */
  hiddenFrom: z.array(z.object({ name: z.string().nullable() })),
  /**
   * The reporter typed the name of somebody on the team. Whoever has it can't read the report, and nothing here says
   * whether anybody does.
   */
  hiddenByName: z.boolean(),
  /** The outside person, who reads it when nobody on the team may; null otherwise. */
  outsidePerson: z.object({ name: z.string() }).nullable(),
  /** Whether anybody on the team, or the outside person, can read the report at present. */
  hasReader: z.boolean(),
  withdrawnOn: day.nullable(),
  /** When the report is deleted together with this mailbox, and why on that day. */
  retention: RetentionDate,
  /** The words, on the device that has just sent the report, until its reporter has confirmed that they saved them. */
  receipt: receipt.nullable(),
});
export type ReporterMailboxRecord = z.input<typeof ReporterMailbox>;

/** The mailbox of a reported person or a witness: nothing of the report, no name, and no time finer than the day. */
export const OtherMailbox = z.object({
  party: z.enum(OTHER_PARTIES),
  ...mailboxMembers,
  event: z.object({ name: z.string() }),
  /** The measures in the decisions that the person was sent, newest first. */
  measures: z.array(
    z.object({ messageId: idOutput, measure: z.string(), endsOn: day.nullable(), hasEnded: z.boolean() }),
  ),
});
export type OtherMailboxRecord = z.input<typeof OtherMailbox>;

export const Mailbox = z.discriminatedUnion("party", [ReporterMailbox, OtherMailbox]);
export type MailboxRecord = ReporterMailboxRecord | OtherMailboxRecord;
export const MailboxResponse = z.object({ mailbox: Mailbox });

export const NewConversationInput = z.object({
  party: z.enum(OTHER_PARTIES),
  /** Names it for the team; the person never sees it. */
  label: singleLineInput(MAX_CONVERSATION_LABEL_LENGTH),
});
export type NewConversationInput = z.output<typeof NewConversationInput>;

export const NewConversationMessageInput = z.object({ body: textInput(1, MAX_COMMENT_LENGTH) });

const decisionPart = textInput(1, MAX_DECISION_PART_LENGTH);

export const NewDecisionInput = z.object({
  reported: decisionPart,
  finding: decisionPart,
  measure: decisionPart,
  measureEndsOn: z.preprocess(convertBlankToNull, dayInput.nullable()).default(null),
  appeal: decisionPart,
});
export type NewDecisionInput = z.output<typeof NewDecisionInput>;

const Person = z.object({ id: idOutput, name: z.string() });

/** A conversation with somebody other than the reporter, as the team sees it. */
export const Conversation = z.object({
  id: idOutput,
  party: z.enum(OTHER_PARTIES),
  label: z.string(),
  createdAt: timeOutput,
  createdBy: Person.nullable(),
  /** The UTC day on which the team closed it; from then on nobody can open it. */
  closedOn: day.nullable(),
  /** Oldest first. Those from the person have the beginning of their UTC day as time. */
  messages: z.array(
    MailboxMessage.omit({ name: true, html: true }).extend({
      from: z.enum(["party", "team"]),
      author: Person.nullable(),
    }),
  ),
  files: z.array(MailboxFile.omit({ description: true, from: true })),
});
export type ConversationRecord = z.input<typeof Conversation>;
export type SerializedConversation = z.output<typeof Conversation>;

export const ConversationList = z.object({ conversations: z.array(Conversation) });
export const ConversationResponse = z.object({ conversation: Conversation });
/** `words`: the seven words that open it, shown this once, and `link`: where they are typed. */
export const ConversationWithWordsResponse = ConversationResponse.extend({
  words: z.string(),
  link: z.string(),
});
