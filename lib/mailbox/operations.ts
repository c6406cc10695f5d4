import { z } from "zod";
import { eventScope } from "#lib/events/scope.ts";
import { EVIDENCE_UPLOAD_LIMITS } from "#lib/incidents/schema.ts";
import { createEvidenceFileDownloadResponse } from "#lib/evidence/evidence.ts";
import { NewEvidenceFilesInput } from "#lib/evidence/schema.ts";
import { createProofOfWorkChallenge } from "#lib/mailbox/lookup-lane.ts";
import {
  addMailboxFiles,
  closeMailbox as closeMailboxForGood,
  endReceiptDisplay,
  leaveMailbox as leaveOpenedMailbox,
  recordReceiptSavedInCookie,
  openMailbox as openMailboxWithReceipt,
  recordReportWithdrawal,
  writeMailboxMessageToTeam,
} from "#lib/mailbox/mailbox.ts";
import { loadMailbox } from "#lib/mailbox/queries.ts";
import {
  ReceiptChallenge,
  MailboxPaginationQuery,
  MailboxResponse,
  NewMailboxMessageInput,
  MailboxOpeningInput,
  NewReportWithoutAccountInput,
  ReportReceiptResponse,
} from "#lib/mailbox/schema.ts";
import { sealSubmittedReportMailboxCookie } from "#lib/incidents/mailbox-session.ts";
import { mailboxFileScope, mailboxScope, mailboxOrHandOverScope } from "#lib/mailbox/scope.ts";
import { submitReportWithoutAccount } from "#lib/mailbox/submission.ts";
import { defineOperation, globalScope } from "#lib/operation/operation.ts";

/** Reports without an account, and the mailbox in which their reporters come back (contract 14). */

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
  summary: "Open the mailbox of a report with its receipt; sets a cookie for 30 minutes",
  on: globalScope,
  can: "mailbox.open",
  input: MailboxOpeningInput,
  output: z.undefined(),
  status: 204,
  errors: ["NOT_FOUND"],
  run: async ({ call }, entry) => void (await openMailboxWithReceipt(call, entry)),
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
  summary: "Show the report of the opened mailbox, its messages and its outcome",
  on: mailboxScope,
  can: "mailbox.use",
  input: MailboxPaginationQuery,
  output: MailboxResponse,
  run: async (context, { page }) => ({ mailbox: await loadMailbox(context, page) }),
});

export const createMailboxMessage = defineOperation({
  name: "createMailboxMessage",
  summary: "Write a message to the response team from the opened mailbox",
  on: mailboxScope,
  can: "mailbox.use",
  input: NewMailboxMessageInput,
  output: z.undefined(),
  status: 204,
  once: "verb",
  run: async (context, { body }) => void (await writeMailboxMessageToTeam(context, body)),
});

export const createMailboxFiles = defineOperation({
  name: "createMailboxFiles",
  summary: "Add files to the report of the opened mailbox",
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
  on: mailboxOrHandOverScope,
  can: "mailbox.use",
  output: z.undefined(),
  status: 204,
  run: async (context) => void (await recordReceiptSavedInCookie(context)),
});

export const confirmMailboxReceipt = defineOperation({
  name: "confirmMailboxReceipt",
  summary: "End the display of the receipt, once it was kept or two of its words are entered",
  on: mailboxOrHandOverScope,
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
  on: mailboxScope,
  can: "mailbox.use",
  output: z.undefined(),
  status: 204,
  run: async (context) => void (await recordReportWithdrawal(context)),
});

export const closeMailbox = defineOperation({
  name: "closeMailbox",
  summary: "Close the opened mailbox for good; nobody can open it again",
  on: mailboxScope,
  can: "mailbox.use",
  output: z.undefined(),
  status: 204,
  run: async (context) => void (await closeMailboxForGood(context)),
});
