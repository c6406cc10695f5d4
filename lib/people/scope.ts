import type { EventPermissionSubject } from "#lib/events/scope.ts";
import {
  incidentWithoutContentScope,
  requireIncidentWithoutContent,
  type IncidentWithoutContentPermissionSubject,
} from "#lib/incidents/scope.ts";
import { createNotFoundError } from "#lib/operation/errors.ts";
import { UUID_PATTERN } from "#lib/operation/fields.ts";
import type { OperationScopeResolvers } from "#lib/operation/operation.ts";
import { can } from "#lib/operation/policy.ts";
import { findPersonOfRecord } from "#lib/people/queries.ts";

type PersonRecordSubject = IncidentWithoutContentPermissionSubject & {
  record: { id: string; personId: string };
};

/** The record of a person that a path names within an incident. For a reporter there are none (contract 3.5). */
export const personRecordScope: OperationScopeResolvers<EventPermissionSubject, PersonRecordSubject> = {
  container: incidentWithoutContentScope.container,
  inside: async (event, params, actor) => {
    const subject = await requireIncidentWithoutContent(event, params, actor);
    const id = params.recordId?.toLowerCase() ?? "";
    const mayRead = UUID_PATTERN.test(id) && can(actor, "person.read", subject);
    const record = mayRead ? await findPersonOfRecord(subject.incidentId, id) : null;
    if (!record) throw createNotFoundError("person");
    return { ...subject, record };
  },
};
