import { z } from "zod";
import { MAX_COMMENT_LENGTH } from "#lib/comments/schema.ts";
import { incidentStateSchema, NewIncidentInput, severitySchema } from "#lib/incidents/schema.ts";
import { DAY_PARTS } from "#lib/incident-time.ts";
import { RetentionDate } from "#lib/retention/schema.ts";
import { idOutput, pageNumberQuery, Pagination, textInput, timeOutput } from "#lib/operation/fields.ts";

/** Shapes of reports without an account, and of the mailbox in which their reporters come back. */

/** The longest receipt accepted, in characters: seven words and any separators between them. */
export const MAX_RECEIPT_LENGTH = 300;

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
  receipt: textInput(1, MAX_RECEIPT_LENGTH),
  /** A solved challenge. Without one the look-up waits its turn. */
  proof: z.object({ challenge: z.string().max(200), solution: z.string().max(100) }).optional(),
});

export const NewMailboxMessageInput = z.object({ body: textInput(1, MAX_COMMENT_LENGTH) });

export const MailboxPaginationQuery = z.object({ page: pageNumberQuery });

/** Maximum number of messages on one page of the mailbox. */
export const MAILBOX_MESSAGES_PER_PAGE = 50;

export const MailboxMessage = z.object({
  id: idOutput,
  from: z.enum(["you", "team"]),
  /** The author's name, where the event shows its team; null otherwise. */
  name: z.string().nullable(),
  body: z.string(),
  /** The body as sanitized HTML. */
  html: z.string(),
  /** Messages from the mailbox have the quarter of an hour in which they were sent. */
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

const day = z.string().meta({ format: "date" });

export const Mailbox = z.object({
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
  files: z.array(MailboxFile),
  /** Oldest first. */
  messages: z.array(MailboxMessage),
  pagination: Pagination,
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
  /** The escalation contact, who reads it when nobody on the team may; null otherwise. */
  referredTo: z.object({ name: z.string() }).nullable(),
  /** Whether anybody on the team, or the escalation contact, can read the report at present. */
  hasReader: z.boolean(),
  withdrawnOn: day.nullable(),
  /** When the report is deleted together with this mailbox, and why on that day. */
  retention: RetentionDate,
  /** The words again, until the reporter has confirmed on this device that they saved them. */
  receipt: receipt.nullable(),
});
export type MailboxRecord = z.input<typeof Mailbox>;
export const MailboxResponse = z.object({ mailbox: Mailbox });
