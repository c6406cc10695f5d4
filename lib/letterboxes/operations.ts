import { z } from "zod";
import { createEvidenceFileDownloadResponse } from "#lib/evidence/evidence.ts";
import { assertUnguessableIdempotencyKey } from "#lib/idempotency/key.ts";
import { recordIncidentAccessByOperation } from "#lib/incidents/access.ts";
import { EVIDENCE_UPLOAD_LIMITS } from "#lib/incidents/schema.ts";
import { incidentWithoutContentScope } from "#lib/incidents/scope.ts";
import {
  addLetterboxFiles,
  closeLetterbox as closeLetterboxForGood,
  confirmLetterRead,
  createLetterbox as createLetterboxOnIncident,
  leaveLetterbox as leaveOpenedLetterbox,
  openLetterbox as openLetterboxWithCode,
  renewLetterboxCode,
  sendDecisionToHolder,
  sendLetterToHolder,
  writeHolderReply,
} from "#lib/letterboxes/letterboxes.ts";
import {
  listLetterboxes as listLetterboxesOfIncident,
  loadLetterboxForHolder,
} from "#lib/letterboxes/queries.ts";
import {
  LetterboxWithCodeResponse,
  LetterboxOpeningInput,
  LetterboxList,
  OpenedLetterboxPaginationQuery,
  LetterboxResponse,
  NewDecisionInput,
  NewLetterInput,
  NewLetterboxInput,
  NewHolderReplyInput,
  OpenedLetterboxResponse,
} from "#lib/letterboxes/schema.ts";
import {
  letterboxFileScope,
  letterboxScope,
  openedLetterboxFileScope,
  openedLetterboxScope,
} from "#lib/letterboxes/scope.ts";
import { defineOperation, globalScope } from "#lib/operation/operation.ts";

/** Letterboxes for reported people and witnesses (contract 14.5). */

export const listLetterboxes = defineOperation({
  name: "listLetterboxes",
  summary: "List the letterboxes of an incident with their letters; for the team",
  on: incidentWithoutContentScope,
  rolesIn: "event",
  can: "letterbox.manage",
  output: LetterboxList,
  run: async (context) => {
    await recordIncidentAccessByOperation(context, { kind: "view" });
    return { letterboxes: await listLetterboxesOfIncident(context.incidentId) };
  },
});

export const createLetterbox = defineOperation({
  name: "createLetterbox",
  summary: "Create a letterbox for a reported person or a witness; the response has the code that opens it",
  on: incidentWithoutContentScope,
  rolesIn: "event",
  can: "letterbox.manage",
  input: NewLetterboxInput,
  output: LetterboxWithCodeResponse,
  status: 201,
  once: "response",
  run: (context, input) => {
    // The stored response holds the code, and whoever guesses the key reads it.
    assertUnguessableIdempotencyKey(context.call.idempotencyKey);
    return createLetterboxOnIncident(context, input);
  },
});

export const createLetter = defineOperation({
  name: "createLetter",
  summary: "Write to the holder of a letterbox",
  on: letterboxScope,
  rolesIn: "event",
  can: "letterbox.manage",
  input: NewLetterInput,
  output: LetterboxResponse,
  status: 201,
  location: (_, path) => path.replace(/\/[^/]+\/letters$/, ""),
  once: "response",
  run: async (context, { body }) => ({ letterbox: await sendLetterToHolder(context, body) }),
});

export const createDecision = defineOperation({
  name: "createDecision",
  summary: "Send the holder of a letterbox a decision in four parts",
  on: letterboxScope,
  rolesIn: "event",
  can: "letterbox.manage",
  input: NewDecisionInput,
  output: LetterboxResponse,
  status: 201,
  location: (_, path) => path.replace(/\/[^/]+\/decisions$/, ""),
  once: "response",
  run: async (context, decision) => ({ letterbox: await sendDecisionToHolder(context, decision) }),
});

export const closeLetterbox = defineOperation({
  name: "closeLetterbox",
  summary: "Close a letterbox for good; its code stops working",
  on: letterboxScope,
  rolesIn: "event",
  can: "letterbox.manage",
  output: LetterboxResponse,
  run: async (context) => ({ letterbox: await closeLetterboxForGood(context) }),
});

export const createLetterboxCode = defineOperation({
  name: "createLetterboxCode",
  summary: "Give a letterbox a new code; the old one stops working at once",
  on: letterboxScope,
  rolesIn: "event",
  can: "letterbox.manage",
  output: LetterboxWithCodeResponse,
  status: 201,
  location: (_, path) => path.replace(/\/[^/]+\/code$/, ""),
  once: "response",
  run: (context) => {
    assertUnguessableIdempotencyKey(context.call.idempotencyKey);
    return renewLetterboxCode(context);
  },
});

export const downloadLetterboxFileAsTeam = defineOperation({
  name: "downloadLetterboxFileAsTeam",
  summary: "Download a file that the holder of a letterbox has added; for the team",
  on: letterboxFileScope,
  rolesIn: "event",
  can: "letterbox.manage",
  output: null,
  produces: ["*/*"],
  errors: ["RANGE_NOT_SATISFIABLE", "STORAGE_UNAVAILABLE"],
  run: async (context) => {
    await recordIncidentAccessByOperation(context, { kind: "file", objectId: context.file.id });
    return createEvidenceFileDownloadResponse(context);
  },
});

export const openLetterbox = defineOperation({
  name: "openLetterbox",
  summary: "Open a letterbox with its code; sets a cookie for 30 minutes",
  on: globalScope,
  can: "letterbox.open",
  input: LetterboxOpeningInput,
  output: z.undefined(),
  status: 204,
  errors: ["NOT_FOUND"],
  run: async ({ call }, entry) => void (await openLetterboxWithCode(call, entry)),
});

export const leaveLetterbox = defineOperation({
  name: "leaveLetterbox",
  summary: "Leave the letterbox on this device",
  on: globalScope,
  can: "letterbox.open",
  output: z.undefined(),
  status: 204,
  run: async ({ call }) => void leaveOpenedLetterbox(call),
});

export const showLetterbox = defineOperation({
  name: "showLetterbox",
  summary: "Show the letters, measures and files of the opened letterbox",
  on: openedLetterboxScope,
  can: "letterbox.use",
  input: OpenedLetterboxPaginationQuery,
  output: OpenedLetterboxResponse,
  run: async (context, { page }) => ({ letterbox: await loadLetterboxForHolder(context, page) }),
});

export const createReply = defineOperation({
  name: "createReply",
  summary: "Write to the response team from the opened letterbox, or appeal against a decision",
  on: openedLetterboxScope,
  can: "letterbox.use",
  input: NewHolderReplyInput,
  output: z.undefined(),
  status: 204,
  once: "verb",
  errors: ["INVALID_STATE_TRANSITION"],
  run: async (context, reply) => void (await writeHolderReply(context, reply)),
});

export const confirmLetter = defineOperation({
  name: "confirmLetter",
  summary: "Confirm having read a letter of the opened letterbox",
  on: openedLetterboxScope,
  can: "letterbox.use",
  input: z.object({ letterId: z.uuid() }),
  output: z.undefined(),
  status: 204,
  errors: ["NOT_FOUND"],
  run: async (context, { letterId }) => void (await confirmLetterRead(context, letterId)),
});

export const createLetterboxFiles = defineOperation({
  name: "createLetterboxFiles",
  summary: "Add files to the opened letterbox",
  on: openedLetterboxScope,
  can: "letterbox.use",
  input: z.object({}),
  body: "multipart",
  upload: {
    fields: ["relatedFiles", "relatedFiles[]"],
    maxFiles: EVIDENCE_UPLOAD_LIMITS.count,
    maxBytesEach: EVIDENCE_UPLOAD_LIMITS.bytesEach,
    maxBytesTotal: EVIDENCE_UPLOAD_LIMITS.bytesTotal,
  },
  output: z.undefined(),
  status: 204,
  once: "verb",
  errors: ["QUOTA_EXCEEDED"],
  run: async (context) => void (await addLetterboxFiles(context)),
});

export const downloadLetterboxFile = defineOperation({
  name: "downloadLetterboxFile",
  summary: "Download a file of the opened letterbox, as an attachment",
  on: openedLetterboxFileScope,
  can: "letterbox.use",
  output: null,
  produces: ["*/*"],
  errors: ["RANGE_NOT_SATISFIABLE", "STORAGE_UNAVAILABLE"],
  run: (context) => createEvidenceFileDownloadResponse(context),
});
