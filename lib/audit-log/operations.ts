import { nothing, operation, type Context } from "#lib/operation/operation.ts";
import { pagination } from "#lib/operation/fields.ts";
import { exportLog } from "#lib/audit/exports.ts";
import { findSealProblem } from "#lib/audit/inspect-seals.ts";
import { countOfEvent, listEntries, mustBeLog } from "#lib/audit/queries.ts";
import { AuditList, LogQuery, SystemLogQuery, SystemVerifyQuery, Verification } from "#lib/audit/schema.ts";
import { verifyChain } from "#lib/audit/verify.ts";
import { recordExport, recordView, type Recorded } from "#lib/audit/views.ts";
import { env } from "#lib/env.ts";
import { eventScope } from "#lib/events/scope.ts";
import { organizationScope } from "#lib/organizations/scope.ts";
import { isWithheld, refusal, type Actor } from "#lib/operation/policy.ts";

/**
 * The audit logs (contract 12.4): of an organization for its admins, of an event for its Admins, and of the
 * system, and of any organization, for SystemAdmins. Looking into a log is an entry of it.
 */

const AS_TEXT = ["text/csv"];

export const listOrganizationAudit = operation({
  name: "listOrganizationAudit",
  summary: "The audit log of an organization, newest first, or all of it as CSV",
  on: organizationScope,
  can: "organization.viewAudit",
  input: LogQuery,
  output: AuditList,
  produces: AS_TEXT,
  limit: "search",
  run: (context, query) => {
    const { organizationId, actor } = context;
    // Organization roles never tell who reports (contract 12.4); a role in the event's team does.
    const reportersIn = actor.systemAdmin ? {} : { reportersIn: teamEventsOf(actor) };
    return answer({ chain: organizationId, living: true, ...reportersIn }, query, context);
  },
});

export const listEventAudit = operation({
  name: "listEventAudit",
  summary: "What the audit log of the organization holds of one event, newest first, or all of it as CSV",
  on: eventScope,
  can: "event.viewAudit",
  input: LogQuery,
  output: AuditList,
  produces: AS_TEXT,
  limit: "search",
  run: (context, query) => {
    const { organizationId, eventId } = context;
    return answer({ chain: organizationId, eventId, living: true }, query, context);
  },
});

export const listSystemAudit = operation({
  name: "listSystemAudit",
  summary: "The audit log of the system or of any organization, deleted ones too, or all of it as CSV",
  on: nothing,
  can: "admin.viewAudit",
  input: SystemLogQuery,
  output: AuditList,
  produces: AS_TEXT,
  limit: "search",
  run: async (context, { chain, ...query }) => {
    mustBeOpen(context.actor, chain);
    return answer({ chain, hashes: true, ...(await mustBeLog(chain)) }, query, context);
  },
});

/** The log of an organization is its data, from wherever it is opened. @throws AppError SECOND_FACTOR_REQUIRED */
function mustBeOpen(actor: Actor, chain: string): void {
  const log = { organizationId: chain };
  if (chain !== "system" && isWithheld(actor, log)) throw refusal(actor, log);
}

const teamEventsOf = ({ events }: Actor): string[] =>
  events.filter(({ roles }) => roles.some((role) => role !== "Reporter")).map(({ eventId }) => eventId);

type Asker = Pick<Context<object, Actor>, "actor" | "right" | "call">;

async function answer(log: Recorded & { hashes?: boolean }, query: LogQuery, { actor, right, call }: Asker) {
  const by = { actorId: actor.id, right, requestId: call.requestId };
  if (query.format === "csv") {
    await recordExport(log, query, by);
    return exportLog(log, query);
  }
  await recordView(log, by);
  const { entries, total, atLeast, next } = await listEntries(log, query);
  return { entries, pagination: { ...pagination(query, total), atLeast, next } };
}

export const verifyOrganizationAudit = operation({
  name: "verifyOrganizationAudit",
  summary: "Recompute the hash chain of an organization's audit log",
  on: organizationScope,
  can: "organization.viewAudit",
  output: Verification,
  limit: "search",
  run: ({ organizationId }) => verification(organizationId),
});

export const verifyEventAudit = operation({
  name: "verifyEventAudit",
  summary: "Recompute the hash chain that an event's entries are in; `entries` counts those of the event",
  on: eventScope,
  can: "event.viewAudit",
  output: Verification,
  limit: "search",
  run: async ({ organizationId, eventId }) => ({
    ...(await verification(organizationId)),
    entries: await countOfEvent(organizationId, eventId),
  }),
});

export const verifySystemAudit = operation({
  name: "verifySystemAudit",
  summary: "Recompute the hash chain of the system's audit log or of any organization's, deleted ones too",
  on: nothing,
  can: "admin.viewAudit",
  input: SystemVerifyQuery,
  output: Verification,
  limit: "search",
  run: async ({ actor }, { chain }) => {
    mustBeOpen(actor, chain);
    await mustBeLog(chain);
    return verification(chain);
  },
});

async function verification(chain: string) {
  const { ok, entries, head, brokenAt } = await verifyChain(chain);
  // Hashes can be made anew with the database alone; seals can't.
  const firstProblem = ok ? await findSealProblem(chain, env()) : brokenAt;
  return { ok: firstProblem === null, entries, head, firstProblem };
}
