import { isOpenInEmergencySql, isReadableSql } from "#lib/access/readers-sql.ts";
import { evaluateIncidentConditions } from "#lib/access/incident-queries.ts";
import { appendAuditEntry, buildAuditEntry } from "#lib/audit/audit.ts";
import { listConversations } from "#lib/conversations/queries.ts";
import { prisma, runTransaction, sql } from "#lib/database/client.ts";
import { lockRow } from "#lib/database/row-lock.ts";
import { createEventTimeFormatOptionsLookup } from "#lib/design/reader-zone.ts";
import { isStillOnEventTeamSql } from "#lib/events/held-roles-sql.ts";
import { DEFAULT_LOCALE } from "#lib/i18n/locales.ts";
import { recordAccessOfIncidents } from "#lib/incidents/access.ts";
import { appendHistoryEntry } from "#lib/incidents/history.ts";
import { listTeamHistoryOfKinds, type HistoryKind } from "#lib/incidents/history-queries.ts";
import { assertConflictCheckAnswered, findIncidentAsSeenByReader } from "#lib/incidents/record-queries.ts";
import type { EventActorContext, IncidentWithoutContentPermissionSubject } from "#lib/incidents/scope.ts";
import { createForbiddenError, createNotFoundError } from "#lib/operation/errors.ts";
import { createDownloadResponse } from "#lib/operation/exports.ts";
import { buildCaseFileDocument, type CaseFileContent } from "./case-file-document.ts";
import { renderPdf } from "./pdf.ts";
import { CASE_FILE_PART_NAMES, type CaseFileInput } from "./schema.ts";

type CaseFileContext = EventActorContext & IncidentWithoutContentPermissionSubject;

/**
 * Downloads an incident as one PDF (contract 10.4). Who downloads it, what and why is recorded once the file is there
 * and before it is sent, unless the incident isn't open to the actor any more by then.
 * @throws AppError NOT_FOUND, FORBIDDEN; SERVICE_UNAVAILABLE as `renderPdf`
 */
export async function createCaseFileResponse(
  context: CaseFileContext,
  { reason, labels, ...parts }: CaseFileInput,
): Promise<Response> {
  const { actor, call, eventId } = context;
  const content = await loadContent(context, parts);
  const locale = labels ?? actor.locale ?? DEFAULT_LOCALE;
  const document = buildCaseFileDocument(content, {
    parts,
    reader: actor.name,
    now: new Date(),
    format: createEventTimeFormatOptionsLookup(actor, locale)(eventId),
  });
  const rendering = { personId: actor.id, signal: call.request?.signal };
  const pdf = await renderPdf({ kind: "case", content: document }, rendering);
  await recordDownload(context, reason, parts);
  // The title would stay in lists of downloads, and on other people's screens.
  return createDownloadResponse(`heed-${content.incident.codeName}.pdf`, "application/pdf", pdf);
}

type ChosenParts = Omit<CaseFileInput, "reason" | "labels">;

/** The most entries of a history that are read for a file; what fits into it is less (case-file-document.ts). */
const MAX_ENTRIES = 2000;

async function loadContent(
  { actor, eventId, incidentId }: CaseFileContext,
  parts: ChosenParts,
): Promise<CaseFileContent> {
  const kinds: HistoryKind[] = [
    ...(parts.timeline ? (["changes", "files"] as const) : []),
    ...(parts.messages ? (["messages"] as const) : []),
    ...(parts.notes ? (["notes"] as const) : []),
  ];
  const [incident, history, conversations, files] = await Promise.all([
    findIncidentAsSeenByReader(sql, { eventId, incidentId, reader: actor }),
    kinds.length > 0 ? listTeamHistoryOfKinds(incidentId, kinds, MAX_ENTRIES) : { rows: [], total: 0 },
    parts.conversations ? listConversations(incidentId) : [],
    parts.files && parts.conversations ? listConversationFiles(incidentId) : [],
  ]);
  if (!incident) throw createNotFoundError("incident");
  assertConflictCheckAnswered(incident);
  return { incident, history, conversations, conversationFiles: files };
}

/** Lists the files that reported people and witnesses sent, with the hashes of what the team downloads. */
async function listConversationFiles(incidentId: string): Promise<CaseFileContent["conversationFiles"]> {
  const files = await prisma.relatedFile.findMany({
    where: { incidentId, conversationId: { not: null } },
    orderBy: [{ createdAt: "asc" }, { id: "asc" }],
    select: { filename: true, mimetype: true, size: true, sha256: true, copySha256: true },
  });
  return files.map(({ sha256, copySha256, ...file }) => ({ ...file, sha256: copySha256 ?? sha256 }));
}

/**
 * Records the download in the history, which has the reason, the access log and the audit log, which has the parts.
 * @throws AppError NOT_FOUND, FORBIDDEN when the actor has lost the right since the content was read
 */
const recordDownload = (context: CaseFileContext, reason: string, parts: ChosenParts): Promise<void> =>
  runTransaction(async (tx) => {
    const { actor, eventId, incidentId, right } = context;
    await lockRow(tx, { table: "incidents", id: incidentId, strength: "share" });
    const now = await evaluateIncidentConditions(tx, incidentId, {
      onTeam: isStillOnEventTeamSql(actor, eventId),
      readable: isReadableSql(actor),
      inEmergency: isOpenInEmergencySql(actor),
    });
    if (!now?.readable) throw createNotFoundError("incident");
    if (!now.onTeam || now.inEmergency) throw createForbiddenError();
    await appendHistoryEntry(tx, context, { action: "downloaded", toValue: reason });
    await recordAccessOfIncidents(tx, [incidentId], { actorId: actor.id, kind: "export", right });
    const chosen = CASE_FILE_PART_NAMES.filter((name) => parts[name]);
    await appendAuditEntry(
      tx,
      buildAuditEntry(context, "incident.download", { type: "incident", id: incidentId }, { parts: chosen }),
    );
  });
