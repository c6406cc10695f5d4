import { z } from "zod";
import { eventScope } from "#lib/events/scope.ts";
import { createEvidenceFileDownloadResponse } from "#lib/evidence/evidence.ts";
import { NewEvidenceFilesInput } from "#lib/evidence/schema.ts";
import { assertUnguessableIdempotencyKey } from "#lib/idempotency/key.ts";
import { recordIncidentAccessByOperation } from "#lib/incidents/access.ts";
import { sealSubmittedReportMailboxCookie } from "#lib/incidents/mailbox-session.ts";
import { EVIDENCE_UPLOAD_LIMITS } from "#lib/incidents/schema.ts";
import { incidentWithoutContentScope } from "#lib/incidents/scope.ts";
import {
  closeConversation as closeConversationForGood,
  createConversation as createConversationOnIncident,
  renewWords,
  sendDecisionToParty,
  sendMessageToParty,
} from "#lib/conversations/conversations.ts";
import { createProofOfWorkChallenge } from "#lib/conversations/lookup-lane.ts";
import {
  addMailboxFiles,
  closeMailbox as closeMailboxForGood,
  confirmMessageRead,
  recordReportWithdrawal,
  writeMailboxMessage,
} from "#lib/conversations/mailbox.ts";
import {
  endReceiptDisplay,
  leaveMailbox as leaveOpenedMailbox,
  openMailbox as openMailboxWithWords,
  recordReceiptSavedInCookie,
} from "#lib/conversations/mailbox-opening.ts";
import { listConversations as listConversationsOfIncident, loadMailbox } from "#lib/conversations/queries.ts";
import {
  ConversationList,
  ConversationResponse,
  ConversationWithWordsResponse,
  MailboxOpeningInput,
  MailboxPaginationQuery,
  MailboxResponse,
  NewConversationInput,
  NewConversationMessageInput,
  NewDecisionInput,
  NewMailboxMessageInput,
  NewReportWithoutAccountInput,
  ReceiptChallenge,
  ReportReceiptResponse,
} from "#lib/conversations/schema.ts";
import {
  conversationFileScope,
  conversationScope,
  mailboxFileScope,
  mailboxScope,
  reporterMailboxOrHandOverScope,
  reporterMailboxScope,
} from "#lib/conversations/scope.ts";
import { submitReportWithoutAccount } from "#lib/conversations/submission.ts";
import { defineOperation, globalScope } from "#lib/operation/operation.ts";

/**
 * Conversations with people outside the team (contract 14): reports without an account, the mailbox that seven words
 * open, and what the team writes to reported people and witnesses. Messages with a reporter are comments (contract 8.1).
 */

const UPLOAD_RULE = {
  fields: ["relatedFiles", "relatedFiles[]"],
  maxFiles: EVIDENCE_UPLOAD_LIMITS.count,
  maxBytesEach: EVIDENCE_UPLOAD_LIMITS.bytesEach,
  maxBytesTotal: EVIDENCE_UPLOAD_LIMITS.bytesTotal,
};

export const reportWithoutAccount = defineOperation({
  name: "reportWithoutAccount",
  summary: "Report an incident without an account; the response has the receipt that opens its mailbox",
  on: eventScope,
  can: "report.withoutAccount",
  input: NewReportWithoutAccountInput,
  body: "multipart",
  upload: { ...UPLOAD_RULE, orJson: true },
  output: ReportReceiptResponse,
  status: 201,
  location: () => "/api/mailbox",
  once: "verb",
  errors: ["FORBIDDEN", "EVENT_NOT_OPEN", "QUOTA_EXCEEDED"],
  run: async (context, report) => {
    const { receipt, incidentId } = await submitReportWithoutAccount(context, report);
    if (report.openMailbox)
      context.call.setCookie(await sealSubmittedReportMailboxCookie(incidentId, receipt));
    return { receipt };
  },
});

export const showReceiptChallenge = defineOperation({
  name: "showReceiptChallenge",
  summary: "Get a challenge whose solution lets a receipt be looked up without waiting",
  on: globalScope,
  can: "mailbox.open",
  output: ReceiptChallenge,
  run: async () => createProofOfWorkChallenge(),
});

export const openMailbox = defineOperation({
  name: "openMailbox",
  summary: "Open a mailbox with its seven words; sets a cookie for 30 minutes",
  on: globalScope,
  can: "mailbox.open",
  input: MailboxOpeningInput,
  output: z.undefined(),
  status: 204,
  errors: ["NOT_FOUND"],
  run: async ({ call }, entry) => void (await openMailboxWithWords(call, entry)),
});

export const leaveMailbox = defineOperation({
  name: "leaveMailbox",
  summary: "Leave the mailbox on this device",
  on: globalScope,
  can: "mailbox.open",
  output: z.undefined(),
  status: 204,
  run: async ({ call }) => void leaveOpenedMailbox(call),
});

export const showMailbox = defineOperation({
  name: "showMailbox",
  summary:
    "Show the messages and files of the opened mailbox, and to a reporter their report and its outcome",
  on: mailboxScope,
  can: "mailbox.use",
  input: MailboxPaginationQuery,
  output: MailboxResponse,
  run: async (context, { page }) => ({ mailbox: await loadMailbox(context, page) }),
});

export const createMailboxMessage = defineOperation({
  name: "createMailboxMessage",
  summary: "Write to the response team from the opened mailbox, or appeal against a decision",
  on: mailboxScope,
  can: "mailbox.use",
  input: NewMailboxMessageInput,
  output: z.undefined(),
  status: 204,
  once: "verb",
  errors: ["INVALID_STATE_TRANSITION"],
  run: async (context, message) => void (await writeMailboxMessage(context, message)),
});

export const confirmMailboxMessage = defineOperation({
  name: "confirmMailboxMessage",
  summary: "Confirm having read a message of the opened mailbox; not for reporters",
  on: mailboxScope,
  can: "mailbox.use",
  input: z.object({ messageId: z.uuid() }),
  output: z.undefined(),
  status: 204,
  errors: ["NOT_FOUND"],
  run: async (context, { messageId }) => void (await confirmMessageRead(context, messageId)),
});

export const createMailboxFiles = defineOperation({
  name: "createMailboxFiles",
  summary: "Add files to the opened mailbox",
  on: mailboxScope,
  can: "mailbox.use",
  input: NewEvidenceFilesInput.pick({ description: true }),
  body: "multipart",
  upload: UPLOAD_RULE,
  output: z.undefined(),
  status: 204,
  once: "verb",
  errors: ["QUOTA_EXCEEDED"],
  run: async (context, { description }) => void (await addMailboxFiles(context, description)),
});

export const downloadMailboxFile = defineOperation({
  name: "downloadMailboxFile",
  summary: "Download a file of the opened mailbox, as an attachment",
  on: mailboxFileScope,
  can: "mailbox.use",
  output: null,
  produces: ["*/*"],
  errors: ["RANGE_NOT_SATISFIABLE", "STORAGE_UNAVAILABLE"],
  run: (context) => createEvidenceFileDownloadResponse(context),
});

export const saveReceipt = defineOperation({
  name: "saveReceipt",
  summary: "Say that the receipt was kept on this device",
  on: reporterMailboxOrHandOverScope,
  can: "mailbox.use",
  output: z.undefined(),
  status: 204,
  run: async (context) => void (await recordReceiptSavedInCookie(context)),
});

export const confirmMailboxReceipt = defineOperation({
  name: "confirmMailboxReceipt",
  summary: "End the display of the receipt, once it was kept or two of its words are entered",
  on: reporterMailboxOrHandOverScope,
  can: "mailbox.use",
  input: z.object({
    entered: z.partialRecord(z.enum(["1", "2", "3", "4", "5", "6", "7"]), z.string()).default({}),
  }),
  output: z.undefined(),
  status: 204,
  run: async (context, { entered }) => void (await endReceiptDisplay(context, entered)),
});

export const withdrawMailboxReport = defineOperation({
  name: "withdrawMailboxReport",
  summary: "Tell the response team that you withdraw the report of the opened mailbox",
  on: reporterMailboxScope,
  can: "mailbox.use",
  output: z.undefined(),
  status: 204,
  run: async (context) => void (await recordReportWithdrawal(context)),
});

export const closeMailbox = defineOperation({
  name: "closeMailbox",
  summary: "Close the opened mailbox for good; nobody can open it again",
  on: reporterMailboxScope,
  can: "mailbox.use",
  output: z.undefined(),
  status: 204,
  run: async (context) => void (await closeMailboxForGood(context)),
});

export const listConversations = defineOperation({
  name: "listConversations",
  summary: "List the conversations of an incident with others than its reporter; for the team",
  on: incidentWithoutContentScope,
  rolesIn: "event",
  can: "conversation.read",
  output: ConversationList,
  run: async (context) => {
    await recordIncidentAccessByOperation(context, { kind: "view" });
    return { conversations: await listConversationsOfIncident(context.incidentId) };
  },
});

export const createConversation = defineOperation({
  name: "createConversation",
  summary:
    "Open a conversation with a reported person or a witness; the response has the seven words for them",
  on: incidentWithoutContentScope,
  rolesIn: "event",
  can: "conversation.manage",
  input: NewConversationInput,
  output: ConversationWithWordsResponse,
  status: 201,
  once: "response",
  run: (context, input) => {
    // The stored response holds the words, and whoever guesses the key reads it.
    assertUnguessableIdempotencyKey(context.call.idempotencyKey);
    return createConversationOnIncident(context, input);
  },
});

export const createConversationMessage = defineOperation({
  name: "createConversationMessage",
  summary: "Write to the person of a conversation",
  on: conversationScope,
  rolesIn: "event",
  can: "conversation.manage",
  input: NewConversationMessageInput,
  output: ConversationResponse,
  status: 201,
  location: (_, path) => path.replace(/\/[^/]+\/messages$/, ""),
  once: "response",
  run: async (context, { body }) => ({ conversation: await sendMessageToParty(context, body) }),
});

export const createDecision = defineOperation({
  name: "createDecision",
  summary: "Send the person of a conversation a decision in four parts",
  on: conversationScope,
  rolesIn: "event",
  can: "conversation.manage",
  input: NewDecisionInput,
  output: ConversationResponse,
  status: 201,
  location: (_, path) => path.replace(/\/[^/]+\/decisions$/, ""),
  once: "response",
  run: async (context, decision) => ({ conversation: await sendDecisionToParty(context, decision) }),
});

export const closeConversation = defineOperation({
  name: "closeConversation",
  summary: "Close a conversation for good; its words stop working",
  on: conversationScope,
  rolesIn: "event",
  can: "conversation.manage",
  output: ConversationResponse,
  run: async (context) => ({ conversation: await closeConversationForGood(context) }),
});

export const createConversationWords = defineOperation({
  name: "createConversationWords",
  summary: "Give a conversation new words; the old ones stop working at once",
  on: conversationScope,
  rolesIn: "event",
  can: "conversation.manage",
  output: ConversationWithWordsResponse,
  status: 201,
  location: (_, path) => path.replace(/\/[^/]+\/words$/, ""),
  once: "response",
  run: (context) => {
    assertUnguessableIdempotencyKey(context.call.idempotencyKey);
    return renewWords(context);
  },
});

export const downloadConversationFile = defineOperation({
  name: "downloadConversationFile",
  summary: "Download a file that the person of a conversation has added; for the team",
  on: conversationFileScope,
  rolesIn: "event",
  can: "conversation.read",
  output: null,
  produces: ["*/*"],
  errors: ["RANGE_NOT_SATISFIABLE", "STORAGE_UNAVAILABLE"],
  run: async (context) => {
    await recordIncidentAccessByOperation(context, { kind: "file", objectId: context.file.id });
    return createEvidenceFileDownloadResponse(context);
  },
});
