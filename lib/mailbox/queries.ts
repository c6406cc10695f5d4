import { renderLinkedText } from "#lib/design/linked-text.ts";
import { prisma, sql } from "#lib/database/client.ts";
import { loadReaderSummary, listNamesOfExcludedPeople } from "#lib/readers/queries.ts";
import { countReadersAndFindLastReadDay } from "#lib/incidents/access-log-queries.ts";
import type { Prisma } from "#lib/generated/prisma/client.ts";
import { severitySchema, type Severity } from "#lib/incidents/schema.ts";
import { MAILBOX_MESSAGES_PER_PAGE, type MailboxRecord } from "#lib/mailbox/schema.ts";
import type { MailboxPermissionSubject } from "#lib/mailbox/scope.ts";
import { loadIncidentRetention } from "#lib/retention/queries.ts";
import { createNotFoundError } from "#lib/operation/errors.ts";
import { buildPaginationFromTotal, computePageOffset } from "#lib/operation/fields.ts";

/** Loads the mailbox as its reporter sees it. It selects each field that they may see, and records no visit. */
export async function loadMailbox(
  { incidentId, session, withdrawnOn }: MailboxPermissionSubject,
  page: number,
): Promise<MailboxRecord> {
  const [incident, messages, outcome, total, readers, { hold: _, ...retention }, hiding] = await Promise.all([
    findReport(incidentId),
    listMessagesOfPage(incidentId, page),
    findOutcome(incidentId),
    prisma.reporterMessage.count({ where: { incidentId } }),
    countReadersAndFindLastReadDay(incidentId),
    loadIncidentRetention(incidentId),
    loadHiding(incidentId),
  ]);
  if (!incident) throw createNotFoundError("incident");
  const { event, relatedFiles, state, mailbox } = incident;
  const showsNames = event.reportSettings?.showTeam ?? false;
  return {
    event: { name: event.name, slug: event.slug, contactEmail: event.contactEmail },
    report: toMailboxReport(incident),
    state,
    outcome: outcome?.body ?? null,
    files: relatedFiles.map(toMailboxFile),
    messages: messages.map(({ id, body, createdAt, fromMailbox, author }) => ({
      id,
      from: fromMailbox ? "you" : "team",
      name: showsNames && author ? author.name : null,
      body,
      html: renderLinkedText(body),
      createdAt,
    })),
    pagination: buildPaginationFromTotal({ page, limit: MAILBOX_MESSAGES_PER_PAGE }, total),
    ...readers,
    ...describeHiding(hiding, { hiddenByName: mailbox?.hiddenByName ?? false, showsNames }),
    withdrawnOn: withdrawnOn && withdrawnOn.toISOString().slice(0, 10),
    retention,
    receipt: session.receipt ?? null,
  };
}

/** Describes who can't read the report, and who does. By a typed name, it tells nothing of whether anybody has it. */
const describeHiding = (
  { excluded, referredTo, readers }: Awaited<ReturnType<typeof loadHiding>>,
  { hiddenByName, showsNames }: { hiddenByName: boolean; showsNames: boolean },
) => ({
  hiddenFrom: hiddenByName ? [] : excluded.map((name) => ({ name: showsNames ? name : null })),
  hiddenByName,
  referredTo: hiddenByName ? null : referredTo,
  ...readers,
});

const toMailboxReport = ({
  history,
  incidentOn,
  severity,
  ...report
}: FoundReport): MailboxRecord["report"] => ({
  ...report,
  incidentOn: incidentOn && incidentOn.toISOString().slice(0, 10),
  severity: findSentSeverity(severity, history),
});

/** Returns the severity that the reporter chose: the old value of its first change, or the current one if unchanged. */
const findSentSeverity = (current: Severity | null, changes: readonly { fromValue: string | null }[]) =>
  changes[0] ? severitySchema.nullable().parse(changes[0].fromValue) : current;

type FoundReport = NonNullable<Awaited<ReturnType<typeof findReport>>>;
type FoundFile = FoundReport["relatedFiles"][number];

const toMailboxFile = ({ uploadedById, ...file }: FoundFile): MailboxRecord["files"][number] => ({
  ...file,
  from: uploadedById ? "team" : "you",
});

/**
 * Loads the people who can't read the report, the escalation contact who reads it instead, and when somebody last opened
 * it in an emergency.
 */
async function loadHiding(incidentId: string) {
  const [excluded, { referredTo, hasReader }, opening] = await Promise.all([
    listNamesOfExcludedPeople(incidentId),
    loadReaderSummary(incidentId),
    prisma.incidentAccess.findFirst({
      where: { incidentId, kind: "emergency" },
      orderBy: { at: "desc" },
      select: { at: true },
    }),
  ]);
  return {
    excluded,
    referredTo: referredTo && { name: referredTo.name },
    readers: {
      hasReader,
      openedInEmergencyOn: opening && opening.at.toISOString().slice(0, 10),
    },
  };
}

/** The last message in which the team told the outcome. */
const findOutcome = (incidentId: string) =>
  prisma.reporterMessage.findFirst({
    where: { incidentId, outcome: true },
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
      mailbox: { select: { hiddenByName: true } },
      history: FIRST_SEVERITY_CHANGE,
      relatedFiles: {
        where: { visibleToReporter: true },
        orderBy: [{ createdAt: "asc" }, { id: "asc" }],
        select: {
          id: true,
          filename: true,
          mimetype: true,
          size: true,
          description: true,
          uploadedById: true,
        },
      },
    },
  });

/**
 * Lists a page of the messages, oldest first; the first page is the newest one, since that is what people come back
 * for.
 */
async function listMessagesOfPage(incidentId: string, page: number) {
  const newestFirst = await prisma.reporterMessage.findMany({
    where: { incidentId },
    orderBy: [{ createdAt: "desc" }, { id: "desc" }],
    take: MAILBOX_MESSAGES_PER_PAGE,
    skip: computePageOffset(page, MAILBOX_MESSAGES_PER_PAGE),
    select: { id: true, body: true, createdAt: true, fromMailbox: true, author: { select: { name: true } } },
  });
  return newestFirst.reverse();
}

type MailboxRow = {
  eventId: string;
  organizationId: string;
  withdrawnOn: Date | null;
  confirmed: boolean;
  confirmedOnSending: boolean;
  isClosed: boolean;
};

/** Finds a mailbox and its event, also a closed one. */
export async function findMailboxByIncidentId(incidentId: string): Promise<MailboxRow | undefined> {
  const [row] = await sql.$queryRaw<MailboxRow[]>`
    select i.event_id as "eventId", e.organization_id as "organizationId", m.withdrawn_on as "withdrawnOn",
      m.confirmed, m.confirmed_on_sending as "confirmedOnSending", m.receipt_hash is null as "isClosed"
    from report_mailboxes m join incidents i on i.id = m.incident_id join events e on e.id = i.event_id
    where m.incident_id = ${incidentId}::uuid`;
  return row;
}
