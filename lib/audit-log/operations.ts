import { listHiddenIncidentIds } from "#lib/access/readers-queries.ts";
import { globalScope, defineOperation, type OperationContext } from "#lib/operation/operation.ts";
import { buildPaginationFromTotal } from "#lib/operation/fields.ts";
import { createAuditCsvResponse } from "#lib/audit/exports.ts";
import { countEventAuditEntries, listAuditEntries, requireExistingAuditLog } from "#lib/audit/queries.ts";
import {
  AuditList,
  AuditLogQuery,
  SystemAuditLogQuery,
  SystemAuditVerifyQuery,
  AuditVerification,
} from "#lib/audit/schema.ts";
import { verifyAuditChain } from "#lib/audit/verify.ts";
import {
  recordAuditLogExport,
  recordAuditLogView,
  type AuditLogWithOrganizationExistence,
} from "#lib/audit/views.ts";
import { chooseTimeZoneForEventTimes, chooseTimeZoneOutsideEvents } from "#lib/design/reader-zone.ts";
import { eventScope } from "#lib/events/scope.ts";
import { computeFilterEnd, computeFilterStart } from "#lib/wall-clock.ts";
import { organizationScope } from "#lib/organizations/scope.ts";
import {
  canSeeReportersInAuditLog,
  hasWithheldRole,
  createDenialError,
  type Actor,
} from "#lib/operation/policy.ts";

/**
 * Audit logs (contract 12.4): of an organization for its admins, of an event for its Admins, and of the system and
 * any organization for SystemAdmins. Viewing a log appends an entry to it.
 */

const CSV_MEDIA_TYPES = ["text/csv"];

export const listOrganizationAudit = defineOperation({
  name: "listOrganizationAudit",
  summary: "List the audit log of an organization, newest first, or export all of it as CSV",
  ignoresUnknownNames: true,
  on: organizationScope,
  can: "organization.viewAudit",
  input: AuditLogQuery,
  output: AuditList,
  produces: CSV_MEDIA_TYPES,
  limit: "search",
  run: async (context, query) => {
    const { organizationId, actor } = context;
    // Organization roles never reveal who reported (contract 12.4); a role on the event's team does.
    const reportersIn = canSeeReportersInAuditLog(actor) ? {} : { reportersIn: teamEventIdsOf(actor) };
    const hidden = await listHiddenIncidentIds(actor);
    return respondWithLog(
      { chain: organizationId, hidden, reader: actor, living: true, ...reportersIn },
      query,
      context,
    );
  },
});

export const listEventAudit = defineOperation({
  name: "listEventAudit",
  summary: "List the audit log entries of one event, newest first, or export all of them as CSV",
  ignoresUnknownNames: true,
  on: eventScope,
  can: "event.viewAudit",
  input: AuditLogQuery,
  output: AuditList,
  produces: CSV_MEDIA_TYPES,
  limit: "search",
  run: async (context, query) => {
    const { organizationId, eventId, actor } = context;
    const hidden = await listHiddenIncidentIds(actor);
    return respondWithLog(
      { chain: organizationId, eventId, hidden, reader: actor, living: true },
      query,
      context,
    );
  },
});

export const listSystemAudit = defineOperation({
  name: "listSystemAudit",
  summary:
    "List the audit log of the system or of any organization, even a deleted one, or export all of it as CSV",
  ignoresUnknownNames: true,
  on: globalScope,
  can: "admin.viewAudit",
  input: SystemAuditLogQuery,
  output: AuditList,
  produces: CSV_MEDIA_TYPES,
  limit: "search",
  errors: ["NOT_FOUND"],
  run: async (context, { chain, ...query }) => {
    assertLogNotWithheld(context.actor, chain);
    const hidden = await listHiddenIncidentIds(context.actor);
    return respondWithLog(
      {
        chain,
        hidden,
        reader: context.actor,
        hashes: true,
        ...(await requireExistingAuditLog(chain)),
      },
      query,
      context,
    );
  },
});

/**
 * The log of an organization is that organization's data, so a withheld role closes it here, too.
 * @throws AppError SECOND_FACTOR_REQUIRED
 */
function assertLogNotWithheld(actor: Actor, chain: string): void {
  const log = { organizationId: chain };
  if (chain !== "system" && hasWithheldRole(actor, log)) throw createDenialError(actor, log);
}

const teamEventIdsOf = ({ events }: Actor): string[] =>
  events.filter(({ roles }) => roles.some((role) => role !== "Reporter")).map(({ eventId }) => eventId);

type AuditRequestContext = Pick<OperationContext<object, Actor>, "actor" | "right" | "call">;

async function respondWithLog(
  log: AuditLogWithOrganizationExistence & { hashes?: boolean },
  query: AuditLogQuery,
  viewer: AuditRequestContext,
) {
  const timeZone = chooseTimeZoneOfLog(log, viewer.actor);
  const filter = { ...query, ...toInclusiveTimes(query, timeZone) };
  if (query.format === "csv") {
    await recordAuditLogExport(log, filter, viewer);
    return createAuditCsvResponse(log, filter, query.labels && { locale: query.labels, timeZone });
  }
  await recordAuditLogView(log, viewer);
  const { entries, total, atLeast, next } = await listAuditEntries(log, filter);
  return { entries, pagination: { ...buildPaginationFromTotal(query, total), atLeast, next } };
}

/** The log compares both times inclusively, in milliseconds; a day ends before the next one begins. */
const toInclusiveTimes = ({ from, to }: Pick<AuditLogQuery, "from" | "to">, timeZone: string) => ({
  from: from === undefined ? undefined : computeFilterStart(from, timeZone),
  to: typeof to === "string" ? new Date(computeFilterEnd(to, timeZone).getTime() - 1) : to,
});

/** Chooses the zone in which a log's page shows times. */
const chooseTimeZoneOfLog = ({ eventId }: AuditLogWithOrganizationExistence, actor: Actor): string =>
  eventId
    ? chooseTimeZoneForEventTimes(actor, actor.events.find((event) => event.eventId === eventId)?.timeZone)
    : chooseTimeZoneOutsideEvents(actor);

export const verifyOrganizationAudit = defineOperation({
  name: "verifyOrganizationAudit",
  summary: "Verify the chain of an organization's audit log",
  on: organizationScope,
  can: "organization.viewAudit",
  output: AuditVerification,
  limit: "search",
  run: ({ organizationId }) => verifyChain(organizationId),
});

export const verifyEventAudit = defineOperation({
  name: "verifyEventAudit",
  summary: "Verify the chain that contains an event's entries; `entries` counts those of the event",
  on: eventScope,
  can: "event.viewAudit",
  output: AuditVerification,
  limit: "search",
  run: async ({ organizationId, eventId, actor }) => ({
    ...(await verifyChain(organizationId)),
    entries: await countEventAuditEntries({
      chain: organizationId,
      eventId,
      hidden: await listHiddenIncidentIds(actor),
      reader: null,
    }),
  }),
});

export const verifySystemAudit = defineOperation({
  name: "verifySystemAudit",
  summary: "Verify the chain of the audit log of the system or of any organization, even a deleted one",
  on: globalScope,
  can: "admin.viewAudit",
  input: SystemAuditVerifyQuery,
  output: AuditVerification,
  limit: "search",
  errors: ["NOT_FOUND"],
  run: async ({ actor }, { chain }) => {
    assertLogNotWithheld(actor, chain);
    await requireExistingAuditLog(chain);
    return verifyChain(chain);
  },
});

async function verifyChain(chain: string) {
  const { ok, entries, head, brokenAt } = await verifyAuditChain(chain);
  return { ok, entries, head, firstProblem: brokenAt };
}
