import { prisma } from "#lib/database/client.ts";
import type { EventPermissionSubject } from "#lib/events/scope.ts";
import { findEvidenceWorkingCopy, type EvidenceWorkingCopy } from "#lib/files/queries.ts";
import { unsealMailboxCookie, type MailboxSession } from "#lib/incidents/mailbox-session.ts";
import {
  incidentWithoutContentScope,
  requireIncidentWithoutContent,
  type IncidentWithoutContentPermissionSubject,
} from "#lib/incidents/scope.ts";
import { findConversationToOpen, selectMailboxFiles } from "#lib/conversations/queries.ts";
import type { OtherParty } from "#lib/conversations/schema.ts";
import { AppError, createNotFoundError } from "#lib/operation/errors.ts";
import { UUID_PATTERN } from "#lib/operation/fields.ts";
import {
  createContainerScope,
  type OperationCall,
  type OperationScopeResolvers,
} from "#lib/operation/operation.ts";

/** Scopes of conversations: for the person outside the team by the cookie, for the team by an incident's path. */

type OpenedBase = EventPermissionSubject & {
  incidentId: string;
  conversationId: string;
  mailboxOf: string;
  session: MailboxSession;
};
/** A reporter's opened conversation. It has the id of its incident. */
export type ReporterMailboxSubject = OpenedBase & { party: "reporter"; withdrawnOn: Date | null };
export type OtherMailboxSubject = OpenedBase & { party: OtherParty };
/** The conversation that the request has opened with its words. */
export type MailboxPermissionSubject = ReporterMailboxSubject | OtherMailboxSubject;

/**
 * The mailbox that the request has opened. Closed ones, those with new words, and those whose cookie has expired, aren't
 * found.
 */
export const mailboxScope = createContainerScope<MailboxPermissionSubject>(async (_params, _actor, call) => {
  const mailbox = await resolveMailbox(call);
  if (mailbox.session.handOverUntil !== undefined) throw createMailboxNotOpenError();
  return mailbox;
});

/** The opened mailbox of a reporter. @throws AppError NOT_FOUND for the mailbox of somebody else: it has no report */
export const reporterMailboxScope = createContainerScope<ReporterMailboxSubject>(
  async (params, actor, call) => requireReporter(await mailboxScope.container(params, actor, call)),
);

/** Like `reporterMailboxScope`, also for the device of a team member that shows the words to the reporter. */
export const reporterMailboxOrHandOverScope = createContainerScope<ReporterMailboxSubject>(
  async (_params, _actor, call) => requireReporter(await resolveMailbox(call)),
);

function requireReporter(mailbox: MailboxPermissionSubject): ReporterMailboxSubject {
  if (mailbox.party !== "reporter") throw createNotFoundError("incident");
  return mailbox;
}

async function resolveMailbox(call: OperationCall | undefined): Promise<MailboxPermissionSubject> {
  const session = await unsealMailboxCookie(call?.mailbox);
  const row = session && (await findConversationToOpen(session.conversationId));
  if (!session || !row) throw createMailboxNotOpenError();
  if (row.isClosed) throw createMailboxClosedError();
  if (row.wordsHash !== session.wordsHash) throw createMailboxNotOpenError();
  const { confirmed, withdrawnOn, party, eventId, organizationId, incidentId } = row;
  const { receipt: _, ...withoutReceipt } = session;
  const { conversationId } = session;
  const opened = {
    eventId,
    organizationId,
    incidentId,
    conversationId,
    mailboxOf: conversationId,
    session: confirmed ? withoutReceipt : session,
  };
  return party === "reporter" ? { ...opened, party, withdrawnOn } : { ...opened, party };
}

/** Creates the error for a mailbox that isn't open on this device; its words open it. */
export const createMailboxNotOpenError = () => new AppError("UNAUTHENTICATED", "mailboxNotOpen");

/** Creates the error for a mailbox that was closed for good. Only a device on which it was open learns of it. */
export const createMailboxClosedError = () => new AppError("UNAUTHENTICATED", "mailboxClosed");

type WithFile<Subject> = Subject & { file: EvidenceWorkingCopy };

/** A file of the opened mailbox. */
export const mailboxFileScope: OperationScopeResolvers<
  MailboxPermissionSubject,
  WithFile<MailboxPermissionSubject>
> = {
  container: mailboxScope.container,
  inside: async (mailbox, params) => ({
    ...mailbox,
    file: await findFile(selectMailboxFiles(mailbox), params.fileId),
  }),
};

type ConversationSubject = IncidentWithoutContentPermissionSubject & { conversationId: string };

/** A conversation with somebody other than the reporter, of the incident that the path names; the actor has to see it. */
export const conversationScope: OperationScopeResolvers<EventPermissionSubject, ConversationSubject> = {
  container: incidentWithoutContentScope.container,
  inside: async (event, params, actor) => {
    const incident = await requireIncidentWithoutContent(event, params, actor);
    const id = params.conversationId?.toLowerCase() ?? "";
    const where = { id, incidentId: incident.incidentId, party: { not: "reporter" as const } };
    if (!UUID_PATTERN.test(id) || (await prisma.conversation.count({ where })) === 0)
      throw createNotFoundError("conversation");
    return { ...incident, conversationId: id };
  },
};

/** A file in such a conversation, for the team. */
export const conversationFileScope: OperationScopeResolvers<
  EventPermissionSubject,
  WithFile<ConversationSubject>
> = {
  container: incidentWithoutContentScope.container,
  inside: async (event, params, actor) => {
    const conversation = await conversationScope.inside!(event, params, actor);
    const { conversationId } = conversation;
    return { ...conversation, file: await findFile({ conversationId }, params.fileId) };
  },
};

async function findFile(
  where: Omit<Parameters<typeof findEvidenceWorkingCopy>[0], "id">,
  fileId: string | undefined,
): Promise<EvidenceWorkingCopy> {
  const id = fileId?.toLowerCase() ?? "";
  const file = UUID_PATTERN.test(id) ? await findEvidenceWorkingCopy({ ...where, id }) : null;
  if (!file) throw createNotFoundError("file");
  return file;
}
