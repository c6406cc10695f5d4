import { z } from "zod";
import { Message } from "#lib/accounts/schema.ts";
import { operation, requestOf } from "#lib/operation/operation.ts";
import { Pagination, pagination } from "#lib/operation/fields.ts";
import * as events from "#lib/events/events.ts";
import * as queries from "#lib/events/queries.ts";
import { changeEventUser, grantRole, removeEventUser, revokeRole } from "#lib/events/roles.ts";
import {
  Activity,
  ActivityQuery,
  Event,
  EventChange,
  EventUserChange,
  EventUserList,
  EventUserProfile,
  EventUsersQuery,
  EVENT_ROLES,
  EveryEventUserQuery,
  NewEvent,
  OrganizationEventsQuery,
  RoleAssignment,
  UserEventRole,
} from "#lib/events/schema.ts";
import { eventScope, eventUserScope, shownEventScope } from "#lib/events/scope.ts";
import { organizationScope } from "#lib/organizations/scope.ts";
import { eventRolesOf, isTeam, type Actor } from "#lib/operation/policy.ts";
import { listLoads, saidOf } from "#lib/events/assignments.ts";
import {
  findHoldings,
  describeHandover,
  handIncidentsOver,
  Handover,
  Holdings,
  HoldingsQuery,
  Workload,
} from "#lib/events/handover.ts";
import { eventLogoScope, saveEventLogo } from "#lib/events/logo.ts";
import {
  findReportSettings,
  ReportSettings,
  ReportSettingsChange,
  saveReportSettings,
} from "#lib/events/report-settings.ts";
import { imageResponse } from "#lib/files/download/download.ts";
import { LOGO_UPLOAD, withStoredLogo } from "#lib/files/logo.ts";

/** Events, their people and roles (contract 6). Incidents have a folder of their own. */

export const createEvent = operation({
  name: "createEvent",
  summary: "Create an event in an organization",
  on: organizationScope,
  can: "organization.createEvent",
  input: NewEvent,
  status: 201,
  output: Message.extend({ event: Event }),
  run: async (context, wanted) => ({
    message: "The event is created.",
    event: await events.createEvent(context, wanted),
  }),
});

export const listOrganizationEvents = operation({
  name: "listOrganizationEvents",
  summary: "List the events of an organization",
  on: organizationScope,
  can: "organization.listEvents",
  input: OrganizationEventsQuery,
  output: z.object({ events: z.array(Event), pagination: Pagination }),
  run: async ({ organizationId }, query) => {
    const found = await queries.listOrganizationEvents(organizationId, query);
    return { events: found.events, pagination: pagination(query, found.total) };
  },
});

export const showEvent = operation({
  name: "showEvent",
  summary: "Show an event to its admins",
  on: eventScope,
  can: "event.view",
  output: z.object({ event: Event }),
  run: async ({ eventId }) => ({ event: await queries.findEvent(eventId) }),
});

export const showPublicEvent = operation({
  name: "showPublicEvent",
  summary: "Show an event to anybody",
  on: shownEventScope,
  can: "event.viewPublic",
  output: z.object({ event: Event }),
  run: async ({ event }) => ({ event }),
});

export const updateEvent = operation({
  name: "updateEvent",
  summary: "Change an event",
  on: eventScope,
  can: "event.update",
  input: EventChange,
  output: z.object({ event: Event }),
  run: async (context, change) => ({ event: await events.updateEvent(context, change) }),
});

export const showOwnRoles = operation({
  name: "showOwnRoles",
  summary: "Show your roles in an event",
  on: eventScope,
  can: "event.ownRoles",
  output: z.object({ roles: z.array(z.enum(EVENT_ROLES)) }),
  run: async ({ actor, eventId }) => ({ roles: eventRolesOf(actor, eventId) }),
});

export const listEveryEventUser = operation({
  name: "listEveryEventUser",
  summary: "List all people of an event, for its admins",
  on: eventScope,
  can: "event.listUsersById",
  input: EveryEventUserQuery,
  output: EventUserList,
  run: async ({ eventId, actor }, query) => {
    const found = await queries.listEveryEventUser(viewOf(actor, eventId), query);
    const { page, limit } = query;
    // Without a limit there is one page, as long as the list.
    const served = limit === undefined ? { page: 1, limit: Math.max(found.total, 1) } : { page, limit };
    return { ...found, pagination: pagination(served, found.total) };
  },
});

export const listEventUsers = operation({
  name: "listEventUsers",
  summary: "Search the people of an event; a Reporter finds the response team and themself",
  on: eventScope,
  can: "event.listUsers",
  input: EventUsersQuery,
  output: EventUserList,
  run: async ({ eventId, actor }, query) => {
    const found = await queries.listEventUsers(viewOf(actor, eventId), query);
    return { ...found, pagination: pagination(query, found.total) };
  },
});

const viewOf = (actor: Actor, eventId: string): queries.View => ({
  eventId,
  team: isTeam(actor, eventId),
  viewerId: actor.id,
});

export const showEventUser = operation({
  name: "showEventUser",
  summary: "Show a person of an event",
  on: eventUserScope,
  can: "event.viewUser",
  output: EventUserProfile,
  run: (person) => queries.findEventUser(person),
});

export const listEventUserActivity = operation({
  name: "listEventUserActivity",
  summary: "List what a person did in an event",
  on: eventUserScope,
  can: "event.viewUser",
  input: ActivityQuery,
  output: z.object({ activities: z.array(Activity), total: z.int(), pagination: Pagination }),
  run: async (person, query) => {
    await queries.mustHoldRole(person);
    const found = await queries.listActivity(person, query);
    return { ...found, pagination: pagination(query, found.total) };
  },
});

export const updateEventUser = operation({
  name: "updateEventUser",
  summary: "Change the name, address and role of a person of an event",
  on: eventUserScope,
  can: "event.manageUsers",
  input: EventUserChange,
  output: Message,
  run: async (context, change) => {
    const { email, unassigned } = await changeEventUser(context, change);
    return { message: CHANGED[email] + saidOf(unassigned) };
  },
});

const CHANGED = {
  same: "The person is changed.",
  changed: "The person is changed.",
  waitsForOwner:
    "Name and role are changed. The e-mail address changes once the owner of the account confirms it, " +
    "through the link just sent to the present address.",
  waitsForLink:
    "Name and role are changed. Your e-mail address changes once you confirm it, " +
    "through the link just sent to the new address.",
};

export const deleteEventUser = operation({
  name: "deleteEventUser",
  summary: "Remove a person from an event",
  on: eventUserScope,
  can: "event.manageUsers",
  output: Message,
  run: async (context) => {
    const unassigned = await removeEventUser(context);
    return { message: `The person is removed from the event.${saidOf(unassigned)}` };
  },
});

export const grantEventRole = operation({
  name: "grantEventRole",
  summary: "Give a user a role in an event",
  on: eventScope,
  can: "event.manageRoles",
  input: RoleAssignment,
  output: Message.extend({ userEventRole: UserEventRole }),
  run: async (context, assignment) => ({
    message: "The role is given.",
    userEventRole: await grantRole(context, assignment),
  }),
});

export const revokeEventRole = operation({
  name: "revokeEventRole",
  summary: "Take a role in an event from a user",
  on: eventScope,
  can: "event.manageRoles",
  input: RoleAssignment,
  output: Message,
  run: async (context, assignment) => {
    const unassigned = await revokeRole(context, assignment);
    return { message: `The role is taken away.${saidOf(unassigned)}` };
  },
});

export const listHoldings = operation({
  name: "listHoldings",
  summary: "List the open incidents of an event that are assigned to a person",
  on: eventUserScope,
  can: "event.handOver",
  input: HoldingsQuery,
  output: Holdings,
  run: (holder, query) => findHoldings(holder, query),
});

export const listWorkload = operation({
  name: "listWorkload",
  summary: "Count the open incidents of an event that each person of its team holds, to share the work",
  on: eventScope,
  can: "event.handOver",
  output: Workload,
  run: async ({ eventId }) => ({ people: await listLoads(eventId) }),
});

export const handOver = operation({
  name: "handOver",
  summary: "Hand the open incidents that a person holds to somebody else of the team, or to nobody yet",
  on: eventUserScope,
  can: "event.handOver",
  input: Handover,
  output: Message.extend({ reassigned: z.int() }),
  run: async (context, wanted) => {
    const reassigned = await handIncidentsOver(context, wanted);
    return { message: describeHandover(reassigned, wanted.toUserId), reassigned };
  },
});

const OneReportSettings = z.object({ reportSettings: ReportSettings });

export const showReportSettings = operation({
  name: "showReportSettings",
  summary: "Show what an event says to those who report",
  on: eventScope,
  can: "event.viewPublic",
  output: OneReportSettings,
  run: async ({ eventId }) => ({ reportSettings: await findReportSettings(eventId) }),
});

export const changeReportSettings = operation({
  name: "changeReportSettings",
  summary: "Change what an event says to those who report",
  on: eventScope,
  can: "event.update",
  input: ReportSettingsChange,
  output: OneReportSettings,
  run: async (context, change) => {
    await saveReportSettings(context, change);
    return { reportSettings: await findReportSettings(context.eventId) };
  },
});

export const uploadEventLogo = operation({
  name: "uploadEventLogo",
  summary: "Give an event a logo, in place of the one it has",
  on: eventScope,
  can: "event.changeLogo",
  body: "multipart",
  upload: LOGO_UPLOAD,
  limit: "upload",
  output: z.object({ event: Event }),
  run: async (context) => ({
    event: await withStoredLogo(context.call.files, (logo) => saveEventLogo(context, logo)),
  }),
});

export const showEventLogo = operation({
  name: "showEventLogo",
  summary: "The uploaded logo of an event",
  on: eventLogoScope,
  can: "event.viewLogo",
  output: null,
  produces: ["image/webp"],
  run: ({ key, type, call }) => imageResponse(requestOf(call), { key, type, etag: `"${key}"` }),
});
