import { renderLinkedText } from "#lib/design/linked-text.ts";
import { prisma } from "#lib/database/client.ts";
import { loadReaderSummary, listNamesOfPeopleHiddenFrom } from "#lib/readers/queries.ts";
import { countReadersAndFindLastReadDay } from "#lib/incidents/access-log-queries.ts";
import type { ConversationParty, Message, Prisma } from "#lib/generated/prisma/client.ts";
import { severitySchema, type Severity } from "#lib/incidents/schema.ts";
import {
  MAILBOX_MESSAGES_PER_PAGE,
  type ConversationRecord,
  type MailboxRecord,
  type OtherMailboxRecord,
  type OtherParty,
  type ReporterMailboxRecord,
} from "#lib/conversations/schema.ts";
import type {
  MailboxPermissionSubject,
  OtherMailboxSubject,
  ReporterMailboxSubject,
} from "#lib/conversations/scope.ts";
import { loadIncidentRetention } from "#lib/retention/queries.ts";
import { createNotFoundError } from "#lib/operation/errors.ts";
import { buildPaginationFromTotal, computePageOffset } from "#lib/operation/fields.ts";

/** Loads the opened mailbox as its person sees it. It selects each field that they may see, and records no visit. */
export const loadMailbox = (mailbox: MailboxPermissionSubject, page: number): Promise<MailboxRecord> =>
  mailbox.party === "reporter" ? loadReporterMailbox(mailbox, page) : loadOtherMailbox(mailbox, page);

async function loadReporterMailbox(
  mailbox: ReporterMailboxSubject,
  page: number,
): Promise<ReporterMailboxRecord> {
  const { incidentId, session, withdrawnOn } = mailbox;
  const [incident, files, { messages, pagination }, outcome, readers, { hold: _, ...retention }, hiding] =
    await Promise.all([
      findReport(incidentId),
      listMailboxFiles(mailbox),
      listMessagesOfPage(mailbox, page),
      findOutcome(incidentId),
      countReadersAndFindLastReadDay(incidentId),
      loadIncidentRetention(incidentId),
      loadHiding(incidentId),
    ]);
  if (!incident) throw createNotFoundError("incident");
  const { event, state, conversations } = incident;
  const showsNames = event.reportSettings?.showTeam ?? false;
  return {
    party: "reporter",
    event: { name: event.name, slug: event.slug, contactEmail: event.contactEmail },
    report: toMailboxReport(incident),
    state,
    outcome: outcome?.body ?? null,
    files,
    messages: messages.map(({ author, ...message }) => ({
      ...toMailboxMessage(message),
      name: showsNames && author && !message.fromParty ? author.name : null,
      createdAt: message.createdAt,
    })),
    pagination,
    ...readers,
    ...describeHiding(hiding, { hiddenByName: conversations[0]?.hiddenByName ?? false, showsNames }),
    withdrawnOn: toDay(withdrawnOn),
    retention,
    receipt: session.receipt ?? null,
  };
}

/** Nothing of the incident but the event's name, no author, and no time finer than the day. */
async function loadOtherMailbox(mailbox: OtherMailboxSubject, page: number): Promise<OtherMailboxRecord> {
  const { eventId, party, conversationId } = mailbox;
  const [event, files, { messages, pagination }, decisions] = await Promise.all([
    prisma.event.findUniqueOrThrow({ where: { id: eventId }, select: { name: true } }),
    listMailboxFiles(mailbox),
    listMessagesOfPage(mailbox, page),
    prisma.message.findMany({
      where: { conversationId, kind: "decision" },
      orderBy: { position: "desc" },
      select: { id: true, measure: true, measureEndsOn: true },
    }),
  ]);
  return {
    party,
    event,
    files,
    messages: messages.map((message) => ({
      ...toMailboxMessage(message),
      name: null,
      createdAt: new Date(toDay(message.createdAt)),
    })),
    pagination,
    measures: decisions.map(toMeasure),
  };
}

const toMailboxMessage = (message: Message) => ({
  id: message.id,
  from: message.fromParty ? ("you" as const) : ("team" as const),
  kind: message.kind,
  body: message.body,
  html: message.body === null ? null : renderLinkedText(message.body),
  decision: toDecision(message),
  readOn: toDay(message.readOn),
});

function toDecision({ reported, finding, measure, measureEndsOn, appeal }: Message) {
  if (reported === null || finding === null || measure === null || appeal === null) return null;
  return { reported, finding, measure, measureEndsOn: toDay(measureEndsOn), appeal };
}

const toMeasure = ({ id, measure, measureEndsOn }: Pick<Message, "id" | "measure" | "measureEndsOn">) => {
  const endsOn = toDay(measureEndsOn);
  return {
    messageId: id,
    measure: measure ?? "",
    endsOn,
    hasEnded: endsOn !== null && endsOn < toDay(new Date()),
  };
};

function toDay(date: Date): string;
function toDay(date: Date | null): string | null;
function toDay(date: Date | null): string | null {
  return date && date.toISOString().slice(0, 10);
}

/** Which files a mailbox has: a reporter's own and those that the team shares with them; otherwise the party's own. */
export const selectMailboxFiles = ({ party, incidentId, conversationId }: MailboxPermissionSubject) =>
  party === "reporter"
    ? { incidentId, conversationId: null, visibleToReporter: true }
    : { incidentId, conversationId };

async function listMailboxFiles(mailbox: MailboxPermissionSubject): Promise<MailboxRecord["files"]> {
  const files = await prisma.relatedFile.findMany({
    where: selectMailboxFiles(mailbox),
    orderBy: [{ createdAt: "asc" }, { id: "asc" }],
    select: { ...FILE, description: true, uploadedById: true },
  });
  return files.map(({ uploadedById, ...file }) => ({ ...file, from: uploadedById ? "team" : "you" }));
}

/** Describes who can't read the report, and who does. By a typed name, it tells nothing of whether anybody has it. */
const describeHiding = (
  { excluded, outsidePerson, readers }: Awaited<ReturnType<typeof loadHiding>>,
  { hiddenByName, showsNames }: { hiddenByName: boolean; showsNames: boolean },
) => ({
  hiddenFrom: hiddenByName ? [] : excluded.map((name) => ({ name: showsNames ? name : null })),
  hiddenByName,
  outsidePerson: hiddenByName ? null : outsidePerson,
  ...readers,
});

const toMailboxReport = ({
  history,
  incidentOn,
  severity,
  ...report
}: FoundReport): ReporterMailboxRecord["report"] => ({
  ...report,
  incidentOn: toDay(incidentOn),
  severity: findSentSeverity(severity, history),
});

/** Returns the severity that the reporter chose: the old value of its first change, or the current one if unchanged. */
const findSentSeverity = (current: Severity | null, changes: readonly { fromValue: string | null }[]) =>
  changes[0] ? severitySchema.nullable().parse(changes[0].fromValue) : current;

type FoundReport = NonNullable<Awaited<ReturnType<typeof findReport>>>;
/**
 * Loads the people who can't read the report, the outside person who reads it instead, and when somebody last opened
 * it in an emergency.
 */
async function loadHiding(incidentId: string) {
  const [excluded, { outsidePerson, hasReader }, opening] = await Promise.all([
    listNamesOfPeopleHiddenFrom(incidentId),
    loadReaderSummary(incidentId),
    prisma.incidentAccess.findFirst({
      where: { incidentId, kind: "emergency" },
      orderBy: { at: "desc" },
      select: { at: true },
    }),
  ]);
  return {
    excluded,
    outsidePerson: outsidePerson && { name: outsidePerson.name },
    readers: {
      hasReader,
      openedInEmergencyOn: opening && toDay(opening.at),
    },
  };
}

/** The last message in which the team told the outcome. */
const findOutcome = (incidentId: string) =>
  prisma.message.findFirst({
    where: { conversationId: incidentId, kind: "outcome" },
    orderBy: [{ createdAt: "desc" }, { id: "desc" }],
    select: { body: true },
  });

const FIRST_SEVERITY_CHANGE = {
  where: { action: "severity" },
  orderBy: [{ createdAt: "asc" }, { seq: "asc" }],
  take: 1,
  select: { fromValue: true },
} satisfies Prisma.Incident$historyArgs;

const findReport = (incidentId: string) =>
  prisma.incident.findUnique({
    where: { id: incidentId },
    select: {
      title: true,
      description: true,
      type: true,
      location: true,
      parties: true,
      severity: true,
      incidentAt: true,
      incidentOn: true,
      incidentDayPart: true,
      createdAt: true,
      state: true,
      event: {
        select: {
          name: true,
          slug: true,
          contactEmail: true,
          reportSettings: { select: { showTeam: true } },
        },
      },
      conversations: { where: { id: incidentId }, select: { hiddenByName: true } },
      history: FIRST_SEVERITY_CHANGE,
    },
  });

/**
 * Lists a page of the messages, oldest first; the first page is the newest one, since that is what people come back
 * for.
 */
async function listMessagesOfPage({ conversationId }: MailboxPermissionSubject, page: number) {
  const [newestFirst, total] = await Promise.all([
    prisma.message.findMany({
      where: { conversationId },
      orderBy: { position: "desc" },
      take: MAILBOX_MESSAGES_PER_PAGE,
      skip: computePageOffset(page, MAILBOX_MESSAGES_PER_PAGE),
      include: { author: { select: { name: true } } },
    }),
    prisma.message.count({ where: { conversationId } }),
  ]);
  return {
    messages: newestFirst.reverse(),
    pagination: buildPaginationFromTotal({ page, limit: MAILBOX_MESSAGES_PER_PAGE }, total),
  };
}

type ConversationToOpen = {
  eventId: string;
  organizationId: string;
  incidentId: string;
  party: ConversationParty;
  /** In base64url; null for a reporter with an account. */
  wordsHash: string | null;
  withdrawnOn: Date | null;
  confirmed: boolean;
  isClosed: boolean;
};

/** Finds a conversation and its event, also a closed one. */
export async function findConversationToOpen(id: string): Promise<ConversationToOpen | null> {
  const row = await prisma.conversation.findUnique({
    where: { id },
    include: { incident: { select: { eventId: true, event: { select: { organizationId: true } } } } },
  });
  if (!row) return null;
  const { incident, wordsHash, closedOn, ...conversation } = row;
  return {
    ...conversation,
    eventId: incident.eventId,
    organizationId: incident.event.organizationId,
    wordsHash: wordsHash && Buffer.from(wordsHash).toString("base64url"),
    isClosed: closedOn !== null,
  };
}

const PERSON = { select: { id: true, name: true } };
const FILE = { id: true, filename: true, mimetype: true, size: true };

const CONVERSATION = {
  id: true,
  party: true,
  label: true,
  createdAt: true,
  closedOn: true,
  createdBy: PERSON,
  messages: { orderBy: { position: "asc" }, include: { author: PERSON } },
  files: { orderBy: [{ createdAt: "asc" }, { id: "asc" }], select: FILE },
} satisfies Prisma.ConversationSelect;

/** Lists the conversations of an incident with others than its reporter, for the team, oldest first. */
export async function listConversations(incidentId: string): Promise<ConversationRecord[]> {
  const rows = await prisma.conversation.findMany({
    where: { incidentId, party: { not: "reporter" } },
    orderBy: [{ createdAt: "asc" }, { id: "asc" }],
    select: CONVERSATION,
  });
  return rows.map(toConversation);
}

/** Loads such a conversation for the team. @throws AppError NOT_FOUND */
export async function loadConversation(id: string): Promise<ConversationRecord> {
  const row = await prisma.conversation.findUnique({ where: { id }, select: CONVERSATION });
  if (!row || row.party === "reporter") throw createNotFoundError("conversation");
  return toConversation(row);
}

type ConversationRow = Prisma.ConversationGetPayload<{ select: typeof CONVERSATION }>;

const toConversation = ({ messages, party, ...row }: ConversationRow): ConversationRecord => ({
  ...row,
  party: party as OtherParty,
  label: row.label ?? "",
  closedOn: toDay(row.closedOn),
  messages: messages.map(({ author, ...message }) => ({
    ...toMailboxMessage(message),
    from: message.fromParty ? "party" : "team",
    author,
    createdAt: message.createdAt,
  })),
});
