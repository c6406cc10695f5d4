import { createDownloadResponse, createTextStream } from "#lib/operation/exports.ts";
import type { OperationContext } from "#lib/operation/operation.ts";
import { appendAuditEntry, buildAuditEntry } from "#lib/audit/audit.ts";
import { prisma, runTransaction } from "#lib/database/client.ts";
import type { Prisma } from "#lib/generated/prisma/client.ts";
import { describeDevice } from "#lib/accounts/devices.ts";
import { loadOwnAccount } from "#lib/accounts/queries.ts";
import {
  readOwnCommentsOnOthersReports,
  readVisibleNotifications,
  readVisiblePins,
} from "#lib/own-account/account-export-queries.ts";
import type { Actor, PermissionSubject } from "#lib/operation/policy.ts";
import { getVisibleIncidentFilter } from "#lib/access/visibility.ts";

/**
 * Exports all data about the current user as one JSON file, read in batches as the client consumes it. Includes other
 * people's text only where the person may read it elsewhere: the team's messages on their reports that they can still
 * see. Includes team notes that the person wrote; no hashes of passwords, tokens or codes.
 */
export async function exportCurrentUserData(
  context: OperationContext<PermissionSubject, Actor>,
): Promise<Response> {
  const { actor } = context;
  await runTransaction((tx) =>
    appendAuditEntry(tx, buildAuditEntry(context, "account.export", { type: "user", id: actor.id })),
  );
  const name = `heed-account-${new Date().toISOString().slice(0, 10)}.json`;
  return createDownloadResponse(
    name,
    "application/json; charset=utf-8",
    await createTextStream(generateExport(actor)),
  );
}

async function* generateExport(actor: Actor): AsyncGenerator<string, void> {
  const head = {
    exportedAt: new Date(),
    account: await loadOwnAccount(actor.id),
    ...(await readShortLists(actor.id)),
  };
  yield `${JSON.stringify(head, null, 2).replace(/\n\}$/, "")}`;
  for (const [name, read] of Object.entries(LIST_READERS)) {
    yield `,\n  ${JSON.stringify(name)}: [`;
    yield* generateElements((last) => read(actor, last));
    yield "]";
  }
  yield "\n}\n";
}

type ListedRow = { id: string; createdAt: Date };
const BATCH_SIZE = 200;

async function* generateElements(
  read: (last: ListedRow | undefined) => Promise<ListedRow[]>,
): AsyncGenerator<string, void> {
  let last: ListedRow | undefined;
  for (;;) {
    const rows = await read(last);
    const text = rows.map((row) => `\n    ${JSON.stringify(row)}`).join(",");
    if (text) yield last ? `,${text}` : text;
    if (rows.length < BATCH_SIZE) return;
    last = rows.at(-1);
  }
}

/** Lists that are short enough to read at once. */
async function readShortLists(userId: string) {
  const where = { userId };
  const [organizations, events, sessions, devices, tokens, choices] = await Promise.all([
    prisma.organizationMember.findMany({
      where,
      select: {
        role: true,
        pending: true,
        createdAt: true,
        organization: { select: { id: true, name: true, slug: true } },
      },
    }),
    prisma.eventRole.findMany({
      where,
      select: {
        roleName: true,
        pending: true,
        createdAt: true,
        event: { select: { id: true, name: true, slug: true } },
      },
    }),
    prisma.session.findMany({ where, select: { userAgent: true, createdAt: true, lastUsedAt: true } }),
    prisma.knownDevice.findMany({ where, select: { firstSeenAt: true, lastSeenAt: true } }),
    prisma.apiToken.findMany({ where, select: EXPORTED_TOKEN_COLUMNS }),
    prisma.notificationSetting.findMany({ where, select: { kind: true, inApp: true, mail: true } }),
  ]);
  return {
    organizations,
    events,
    sessions: sessions.map((session) => ({ device: describeDevice(session.userAgent), ...session })),
    devices,
    tokens,
    notificationSettings: choices,
  };
}

const EXPORTED_TOKEN_COLUMNS = {
  name: true,
  scope: true,
  eventId: true,
  organizationId: true,
  expiresAt: true,
  lastUsedAt: true,
  createdAt: true,
} as const;

/** Reads the next batch of a list in order of time, after its last element so far. */
type ListReader = (actor: Actor, last: ListedRow | undefined) => Promise<ListedRow[]>;

const BY_TIME = [{ createdAt: "asc" as const }, { id: "asc" as const }];

/**
 * Builds the filter for rows after the last one. Its first condition, on the time alone, lets an index skip the rows
 * before.
 */
const afterLast = (last: ListedRow | undefined) =>
  last
    ? {
        createdAt: { gte: last.createdAt },
        OR: [{ createdAt: { gt: last.createdAt } }, { id: { gt: last.id } }],
      }
    : {};

/** Where a role in an event waits for a second factor, the export omits that event's messages and notes until then. */
const withheldEventIds = (actor: Actor) => actor.withheld?.events.map(({ eventId }) => eventId) ?? [];

const toBatch = (actor: Actor, last: ListedRow | undefined) => ({
  last,
  limit: BATCH_SIZE,
  withheldEventIds: withheldEventIds(actor),
});

const LIST_READERS: Record<string, ListReader> = {
  reports: readReports,
  messages: (actor, last) => readOwnCommentsOnOthersReports(actor, "messages", toBatch(actor, last)),
  notes: (actor, last) => readOwnCommentsOnOthersReports(actor, "team_notes", toBatch(actor, last)),
  pins: (actor, last) => readVisiblePins(actor, toBatch(actor, last)),
  savedViews: ({ id: userId }, last) =>
    prisma.savedView.findMany({
      where: { userId, ...afterLast(last) },
      orderBy: BY_TIME,
      take: BATCH_SIZE,
      select: { id: true, name: true, query: true, createdAt: true },
    }),
  notifications: (actor, last) => readVisibleNotifications(actor, toBatch(actor, last)),
};

/** The columns of a report that name it, and hold the person's own texts and choices. */
export const REPORT_COLUMNS = {
  id: true,
  number: true,
  codeName: true,
  eventId: true,
  title: true,
  description: true,
  type: true,
  location: true,
  parties: true,
  incidentAt: true,
  incidentOn: true,
  incidentDayPart: true,
  contactMethod: true,
  contactPhone: true,
  reportedPersonName: true,
  createdAt: true,
} as const;

const OUTCOME_COLUMNS = {
  state: true,
  severity: true,
  firstResponseAt: true,
  resolvedAt: true,
  escalatedAt: true,
  reopenedAt: true,
} as const;

/** The name of the reported person as the reporter gave it stands in the first entry of who changed it. */
const FIRST_NAME_CHANGE = {
  where: { action: "reportedPerson" },
  orderBy: { seq: "asc" as const },
  take: 1,
  select: { fromValue: true },
} as const;

/** The metadata of a file, not its contents. */
export const FILE_COLUMNS = {
  id: true,
  filename: true,
  mimetype: true,
  size: true,
  sha256: true,
  description: true,
  createdAt: true,
} as const;

/**
 * Reads the person's reports as they wrote them, with the files that they uploaded; where they can still see the
 * report, with its outcome and the team's messages.
 */
async function readReports(actor: Actor, last: ListedRow | undefined): Promise<ListedRow[]> {
  const visibleIds = visibleEventIds(actor);
  const rows = await prisma.incident.findMany({
    where: { reporterId: actor.id, ...afterLast(last) },
    orderBy: BY_TIME,
    take: BATCH_SIZE,
    select: {
      ...REPORT_COLUMNS,
      ...OUTCOME_COLUMNS,
      conversations: selectOwnConversation(actor, visibleIds),
      relatedFiles: { where: { uploadedById: actor.id }, orderBy: BY_TIME, select: FILE_COLUMNS },
      history: FIRST_NAME_CHANGE,
    },
  });
  const visible = visibleIds && new Set(visibleIds);
  return rows.map(
    ({ conversations: [conversation], relatedFiles: files, history: [nameChange], ...row }) => ({
      ...toReport(row, visible?.has(row.eventId) ?? true),
      ...(nameChange && { reportedPersonName: nameChange.fromValue }),
      messages: conversation?.messages.map(({ authorId, ...message }) => ({
        from: authorId === actor.id ? "you" : "team",
        ...message,
      })),
      files,
    }),
  );
}

/** Their own messages; those of the team where they can still see the report. */
const selectOwnConversation = (actor: Actor, visibleIds: string[] | undefined) => ({
  where: { party: "reporter" as const },
  select: {
    messages: {
      where: visibleIds
        ? { OR: [{ authorId: actor.id }, { conversation: { incident: { eventId: { in: visibleIds } } } }] }
        : {},
      orderBy: BY_TIME,
      select: { authorId: true, body: true, createdAt: true },
    },
  },
});

/** The events in which the person can see their own reports; undefined for all. */
function visibleEventIds(actor: Actor): string[] | undefined {
  const visibility = getVisibleIncidentFilter(actor);
  return visibility.everything ? undefined : [...visibility.all, ...visibility.own];
}

type ReportRow = Prisma.IncidentGetPayload<{ select: typeof REPORT_COLUMNS & typeof OUTCOME_COLUMNS }>;

/** @param visible whether the person can still see the report, and with it the outcome */
function toReport(row: ReportRow, visible: boolean): ListedRow {
  const { state, severity, firstResponseAt, resolvedAt, escalatedAt, reopenedAt, ...report } = row;
  if (!visible) return report;
  const outcome = {
    state,
    severity,
    firstResponseAt,
    resolvedAt,
    escalatedAt,
    reopenedAt,
  };
  return { ...report, ...outcome };
}
