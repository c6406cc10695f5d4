import { z } from "zod";
import { operation, requestOf } from "#lib/operation/operation.ts";
import { idOut, pagination } from "#lib/operation/fields.ts";
import { eventScope } from "#lib/events/scope.ts";
import {
  addFiles,
  changeFile,
  deleteFile,
  openOriginal,
  refuseFaulty,
  type FileDoer,
} from "#lib/evidence/evidence.ts";
import { filesShownTo, listFilesAddedBy, openedJustNow, usageOf } from "#lib/evidence/queries.ts";
import {
  AddedFiles,
  FileChange,
  FileList,
  FileQuery,
  NewFiles,
  OneFile,
  Opening,
  Usage,
} from "#lib/evidence/schema.ts";
import { downloadResponse, streamResponse } from "#lib/files/download/download.ts";
import { recordAccess } from "#lib/incidents/access.ts";
import { recordDownload } from "#lib/incidents/incidents.ts";
import { FILES } from "#lib/incidents/schema.ts";
import { fileScope, incidentRefScope } from "#lib/incidents/scope.ts";

/** Files of an incident (contract 9). */

export const listFiles = operation({
  name: "listRelatedFiles",
  summary: "The files of an incident; a Reporter's own and those that the team shares",
  on: incidentRefScope,
  can: "incident.viewFile",
  input: FileQuery,
  output: FileList,
  run: async (context, query) => {
    const { actor, incidentId, eventId, reporterId, right, call } = context;
    const look = { incidentId, eventId, reporterId, actorId: actor.id, right, requestId: call.requestId };
    await recordAccess({ ...look, kind: "view" });
    const files = await filesShownTo(actor, context);
    const start = (query.page - 1) * query.limit;
    return {
      relatedFiles: files.slice(start, start + query.limit),
      pagination: pagination(query, files.length),
    };
  },
});

export const uploadFiles = operation({
  name: "addRelatedFiles",
  summary: "Add files to an incident",
  on: incidentRefScope,
  can: "incident.addFile",
  input: NewFiles,
  body: "multipart",
  upload: {
    fields: ["relatedFiles", "relatedFiles[]"],
    maxFiles: FILES.count,
    maxBytesEach: FILES.bytesEach,
    maxBytesTotal: FILES.bytesTotal,
  },
  limit: "upload",
  output: AddedFiles,
  status: 201,
  run: async (context, given) => ({ relatedFiles: await addFiles(context, given) }),
});

export const describeFile = operation({
  name: "updateRelatedFile",
  summary: "Describe a file, or share it with the reporter",
  on: fileScope,
  can: "incident.changeFile",
  input: FileChange,
  output: OneFile,
  run: async (context, change) => ({ relatedFile: await changeFile(context, change) }),
});

export const removeFile = operation({
  name: "deleteRelatedFile",
  summary: "Remove a file: the team any, a Reporter an own one until the report is answered",
  on: fileScope,
  can: "incident.changeFile",
  output: z.undefined(),
  status: 204,
  run: async (context) => {
    await deleteFile(context);
    return undefined;
  },
});

export const downloadFile = operation({
  name: "downloadRelatedFile",
  summary: "Download a file of an incident, or a part of it, as an attachment",
  on: fileScope,
  can: "incident.viewFile",
  output: null,
  produces: ["*/*"],
  run: async (context) => {
    const { file, call } = context;
    const { storageKey: key, filename, mimetype: type, size } = file;
    const sha256 = file.copySha256 ?? file.sha256;
    const stored = { key, filename, type, size, sha256 };
    const response = await downloadResponse(requestOf(call), stored).catch((error: unknown) =>
      refuseFaulty(context, "file", error),
    );
    await recordOpening(context, response).catch(async (error: unknown) => {
      await response.body?.cancel();
      throw error;
    });
    return response;
  },
});

/** Each opening is recorded before a byte leaves; the parts that a player fetches one after the other are one. */
async function recordOpening(context: FileDoer, { body, status }: Response): Promise<void> {
  const { actor, file, incidentId, eventId, reporterId, right } = context;
  if (!body || (status === 206 && (await openedJustNow(actor.id, file.id)))) return;
  await recordDownload(context, { incidentId, fileId: file.id });
  const look = { incidentId, eventId, reporterId, actorId: actor.id, right };
  await recordAccess({ ...look, kind: "file", objectId: file.id });
}

export const downloadOriginal = operation({
  name: "openOriginal",
  summary: "Open the sealed original of a file, with a reason that is kept",
  on: fileScope,
  can: "incident.openOriginal",
  input: Opening,
  output: null,
  produces: ["*/*"],
  run: async (context, { reason }) =>
    streamResponse(requestOf(context.call), await openOriginal(context, reason)),
});

export const showUsage = operation({
  name: "getEvidenceUsage",
  summary: "How much room the files of an event take, and may take",
  on: eventScope,
  can: "evidence.viewUsage",
  output: Usage,
  run: async ({ eventId }) => ({ usage: await usageOf(eventId) }),
});

/**
 * Which files of an incident somebody added themselves: a reporter may describe these, and no others. The records
 * that a Reporter gets don't say who added a file, since that would name people of the team.
 */
export const listOwnFiles = operation({
  name: "listOwnFiles",
  summary: "The files of an incident that you added yourself, by id",
  on: incidentRefScope,
  can: "incident.viewFile",
  output: z.object({ fileIds: z.array(idOut) }),
  run: async ({ actor, incidentId }) => ({ fileIds: await listFilesAddedBy(actor.id, incidentId) }),
});
