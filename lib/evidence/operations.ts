import { z } from "zod";
import { defineOperation, requireRequestWithAbortSignal } from "#lib/operation/operation.ts";
import { idOutput, buildPaginationFromTotal } from "#lib/operation/fields.ts";
import { eventScope } from "#lib/events/scope.ts";
import * as evidence from "#lib/evidence/evidence.ts";
import type { IncidentFileActorContext } from "#lib/evidence/evidence.ts";
import {
  listVisibleFiles,
  listIncidentFileIdsAddedBy,
  hasRecentlyDownloadedFile,
  loadEventEvidenceUsage,
} from "#lib/evidence/queries.ts";
import {
  AddedFilesResponse,
  EvidenceFileChangeInput,
  EvidenceFileList,
  EvidenceFileListQuery,
  NewEvidenceFilesInput,
  EvidenceFileResponse,
  OriginalAccess,
  EventEvidenceStorageUsage,
} from "#lib/evidence/schema.ts";
import { createStreamDownloadResponse } from "#lib/files/download/download.ts";
import { recordIncidentAccessByOperation } from "#lib/incidents/access.ts";
import { EVIDENCE_UPLOAD_LIMITS } from "#lib/incidents/schema.ts";
import { incidentFileScope, incidentWithoutContentScope } from "#lib/incidents/scope.ts";

/** Files of an incident (contract 9). */

export const listRelatedFiles = defineOperation({
  name: "listRelatedFiles",
  summary: "List the files of an incident; a Reporter sees their own and shared ones",
  ignoresUnknownNames: true,
  on: incidentWithoutContentScope,
  can: "incident.viewFile",
  input: EvidenceFileListQuery,
  output: EvidenceFileList,
  run: async (context, query) => {
    const { actor } = context;
    await recordIncidentAccessByOperation(context, { kind: "view" });
    const files = await listVisibleFiles(actor, context);
    const start = (query.page - 1) * query.limit;
    return {
      relatedFiles: files.slice(start, start + query.limit),
      pagination: buildPaginationFromTotal(query, files.length),
    };
  },
});

export const addRelatedFiles = defineOperation({
  name: "addRelatedFiles",
  summary: "Add files to an incident",
  ignoresUnknownNames: true,
  on: incidentWithoutContentScope,
  can: "incident.addFile",
  input: NewEvidenceFilesInput,
  body: "multipart",
  upload: {
    fields: ["relatedFiles", "relatedFiles[]"],
    maxFiles: EVIDENCE_UPLOAD_LIMITS.count,
    maxBytesEach: EVIDENCE_UPLOAD_LIMITS.bytesEach,
    maxBytesTotal: EVIDENCE_UPLOAD_LIMITS.bytesTotal,
  },
  limit: "upload",
  output: AddedFilesResponse,
  status: 201,
  once: "response",
  errors: ["QUOTA_EXCEEDED"],
  run: async (context, input) => ({ relatedFiles: await evidence.addEvidenceFiles(context, input) }),
});

export const updateRelatedFile = defineOperation({
  name: "updateRelatedFile",
  summary: "Describe a file, or share it with the reporter",
  on: incidentFileScope,
  can: "incident.changeFile",
  input: EvidenceFileChangeInput,
  output: EvidenceFileResponse,
  run: async (context, change) => ({ relatedFile: await evidence.changeEvidenceFile(context, change) }),
});

export const deleteRelatedFile = defineOperation({
  name: "deleteRelatedFile",
  summary: "Delete a file: the team any file, a Reporter their own until the team responds",
  ignoresUnknownNames: true,
  on: incidentFileScope,
  can: "incident.changeFile",
  output: z.undefined(),
  status: 204,
  run: async (context) => {
    await evidence.deleteEvidenceFile(context);
    return undefined;
  },
});

export const downloadRelatedFile = defineOperation({
  name: "downloadRelatedFile",
  summary: "Download a file of an incident, or a part of it, as an attachment",
  ignoresUnknownNames: true,
  on: incidentFileScope,
  can: "incident.viewFile",
  output: null,
  produces: ["*/*"],
  errors: ["RANGE_NOT_SATISFIABLE", "STORAGE_UNAVAILABLE"],
  run: async (context) => {
    const { file, incidentId, call } = context;
    const sha256 = file.copySha256 ?? file.sha256;
    const response = await evidence.createEvidenceFileDownloadResponse({
      file: { ...file, sha256 },
      incidentId,
      call,
    });
    await recordFileAccess(context, response).catch(async (error: unknown) => {
      await response.body?.cancel();
      throw error;
    });
    return response;
  },
});

/** Records each download before a byte is sent. The ranges that a player fetches one after the other count as one. */
async function recordFileAccess(
  context: IncidentFileActorContext,
  { body, status }: Response,
): Promise<void> {
  const { actor, file } = context;
  if (!body || (status === 206 && (await hasRecentlyDownloadedFile(actor.id, file.id)))) return;
  await evidence.recordFileDownload(context);
}

export const openOriginal = defineOperation({
  name: "openOriginal",
  summary: "Open the sealed original of a file, giving a reason that is recorded",
  on: incidentFileScope,
  can: "incident.openOriginal",
  input: OriginalAccess,
  output: null,
  produces: ["*/*"],
  run: async (context, { reason }) =>
    createStreamDownloadResponse(
      requireRequestWithAbortSignal(context.call),
      await evidence.openOriginal(context, reason),
    ),
});

export const showEvidenceUsage = defineOperation({
  name: "showEvidenceUsage",
  summary: "Show how much space the files of an event use, and the limit",
  on: eventScope,
  can: "evidence.viewUsage",
  output: EventEvidenceStorageUsage,
  run: async ({ eventId, actor }) => ({ usage: await loadEventEvidenceUsage(eventId, actor) }),
});

/**
 * Lists which files of an incident the actor added: a reporter may describe only these. A Reporter's records don't say
 * who added a file, since that would name people on the team.
 */
export const listOwnFiles = defineOperation({
  name: "listOwnFiles",
  summary: "List the ids of the files of an incident that you added yourself",
  on: incidentWithoutContentScope,
  can: "incident.viewFile",
  output: z.object({ fileIds: z.array(idOutput) }),
  run: async ({ actor, incidentId }) => ({ fileIds: await listIncidentFileIdsAddedBy(actor.id, incidentId) }),
});
