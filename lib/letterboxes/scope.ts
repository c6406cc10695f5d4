import { prisma } from "#lib/database/client.ts";
import type { EventPermissionSubject } from "#lib/events/scope.ts";
import { findEvidenceWorkingCopy, type EvidenceWorkingCopy } from "#lib/files/queries.ts";
import {
  incidentWithoutContentScope,
  requireIncidentWithoutContent,
  type IncidentWithoutContentPermissionSubject,
} from "#lib/incidents/scope.ts";
import { findOpenedLetterbox } from "#lib/letterboxes/queries.ts";
import type { LetterboxKind } from "#lib/letterboxes/schema.ts";
import { letterboxCookie } from "#lib/letterboxes/session.ts";
import { AppError, createNotFoundError } from "#lib/operation/errors.ts";
import { UUID_PATTERN } from "#lib/operation/fields.ts";
import {
  createContainerScope,
  type OperationCall,
  type OperationScopeResolvers,
} from "#lib/operation/operation.ts";

/** Scopes of letterboxes: for the holder by the cookie of the opened one, for the team by an incident's path. */

export type OpenedLetterboxPermissionSubject = EventPermissionSubject & {
  incidentId: string;
  letterboxId: string;
  letterboxOf: string;
  /** Hash of the code that opened it. */
  codeHash: Uint8Array;
  kind: LetterboxKind;
};

/**
 * The letterbox that the request has opened. Closed ones, those with a new code, and those whose cookie has expired,
 * aren't found.
 */
export const openedLetterboxScope = createContainerScope<OpenedLetterboxPermissionSubject>(
  (_params, _actor, call) => resolveOpened(call),
);

async function resolveOpened(call: OperationCall | undefined): Promise<OpenedLetterboxPermissionSubject> {
  const session = await letterboxCookie.unseal(call?.letterbox);
  if (!session) throw createLetterboxNotOpenedHereError();
  const { letterboxId } = session;
  const codeHash = Buffer.from(session.codeHash, "base64url");
  const row = await findOpenedLetterbox(letterboxId, codeHash);
  if (!row) throw createLetterboxNotOpenedHereError();
  return { ...row, letterboxId, letterboxOf: letterboxId, codeHash };
}

/** Creates the error for a letterbox that isn't open on this device; its code opens it. */
export const createLetterboxNotOpenedHereError = () => new AppError("UNAUTHENTICATED", "letterboxNotOpen");

type OpenedLetterboxFilePermissionSubject = OpenedLetterboxPermissionSubject & {
  file: EvidenceWorkingCopy;
};

/** A file that the holder of the opened letterbox has added. */
export const openedLetterboxFileScope: OperationScopeResolvers<
  OpenedLetterboxPermissionSubject,
  OpenedLetterboxFilePermissionSubject
> = {
  container: openedLetterboxScope.container,
  inside: async (letterbox, params) => ({
    ...letterbox,
    file: await findFile(letterbox.letterboxId, params.fileId),
  }),
};

type LetterboxPermissionSubject = IncidentWithoutContentPermissionSubject & { letterboxId: string };

/** A letterbox of the incident that the path names, which the actor has to see. */
export const letterboxScope: OperationScopeResolvers<EventPermissionSubject, LetterboxPermissionSubject> = {
  container: incidentWithoutContentScope.container,
  inside: async (event, params, actor) => {
    const incident = await requireIncidentWithoutContent(event, params, actor);
    const id = params.letterboxId?.toLowerCase() ?? "";
    const where = { id, incidentId: incident.incidentId };
    if (!UUID_PATTERN.test(id) || (await prisma.letterbox.count({ where })) === 0)
      throw createNotFoundError("letterbox");
    return { ...incident, letterboxId: id };
  },
};

type LetterboxFilePermissionSubject = LetterboxPermissionSubject & { file: EvidenceWorkingCopy };

/** A file in a letterbox, for the team. */
export const letterboxFileScope: OperationScopeResolvers<
  EventPermissionSubject,
  LetterboxFilePermissionSubject
> = {
  container: incidentWithoutContentScope.container,
  inside: async (event, params, actor) => {
    const letterbox = await letterboxScope.inside!(event, params, actor);
    return { ...letterbox, file: await findFile(letterbox.letterboxId, params.fileId) };
  },
};

async function findFile(letterboxId: string, fileId: string | undefined): Promise<EvidenceWorkingCopy> {
  const id = fileId?.toLowerCase() ?? "";
  const file = UUID_PATTERN.test(id) ? await findEvidenceWorkingCopy({ id, letterboxId }) : null;
  if (!file) throw createNotFoundError("file");
  return file;
}
