import type { EventPermissionSubject } from "#lib/events/scope.ts";
import { findEvidenceWorkingCopy, type EvidenceWorkingCopy } from "#lib/files/queries.ts";
import { unsealMailboxCookie, type MailboxSession } from "#lib/incidents/mailbox-session.ts";
import { findMailboxByIncidentId } from "#lib/mailbox/queries.ts";
import { UUID_PATTERN } from "#lib/operation/fields.ts";
import { AppError, createNotFoundError } from "#lib/operation/errors.ts";
import {
  createContainerScope,
  type OperationCall,
  type OperationScopeResolvers,
} from "#lib/operation/operation.ts";

export type MailboxPermissionSubject = EventPermissionSubject & {
  incidentId: string;
  mailboxIncidentId: string;
  session: MailboxSession;
  withdrawnOn: Date | null;
};

/** The mailbox that the request has opened. Closed ones, and those whose cookie has expired, aren't found. */
export const mailboxScope = createContainerScope<MailboxPermissionSubject>(async (_params, _actor, call) => {
  const mailbox = await resolveMailbox(call);
  if (mailbox.session.handOverUntil !== undefined) throw createMailboxNotOpenError();
  return mailbox;
});

/** Like `mailboxScope`, also for the device of a team member that shows the receipt to the reporter. */
export const mailboxOrHandOverScope = createContainerScope<MailboxPermissionSubject>(
  (_params, _actor, call) => resolveMailbox(call),
);

async function resolveMailbox(call: OperationCall | undefined): Promise<MailboxPermissionSubject> {
  const session = await unsealMailboxCookie(call?.mailbox);
  if (!session) throw createMailboxNotOpenError();
  const { incidentId } = session;
  const row = await findMailboxByIncidentId(incidentId);
  if (!row) throw createMailboxNotOpenError();
  if (row.isClosed) throw createMailboxClosedError();
  const { confirmed, confirmedOnSending, isClosed: _closed, ...mailbox } = row;
  const { receipt: _, ...withoutReceipt } = session;
  // A copy of the cookie from before the confirmation still holds the words.
  const isConfirmed = confirmed || (session.fresh === true && confirmedOnSending);
  return {
    ...mailbox,
    incidentId,
    mailboxIncidentId: incidentId,
    session: isConfirmed ? withoutReceipt : session,
  };
}

/** Creates the error for a mailbox that isn't open on this device; the receipt opens it. */
export const createMailboxNotOpenError = () => new AppError("UNAUTHENTICATED", "mailboxNotOpen");

/** Creates the error for a mailbox that was closed for good. Only a device on which it was open learns of it. */
export const createMailboxClosedError = () => new AppError("UNAUTHENTICATED", "mailboxClosed");

type MailboxFilePermissionSubject = MailboxPermissionSubject & { file: EvidenceWorkingCopy };

/** A file in the opened mailbox: the reporter's own, or one that the team shares with them. */
export const mailboxFileScope: OperationScopeResolvers<
  MailboxPermissionSubject,
  MailboxFilePermissionSubject
> = {
  container: mailboxScope.container,
  inside: async (mailbox, params) => {
    const id = params.fileId?.toLowerCase() ?? "";
    const { incidentId } = mailbox;
    const file = UUID_PATTERN.test(id)
      ? await findEvidenceWorkingCopy({ id, incidentId, visibleToReporter: true })
      : null;
    if (!file) throw createNotFoundError("file");
    return { ...mailbox, file };
  },
};
