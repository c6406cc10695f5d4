import { consumeSearchLimit } from "#lib/rate-limits/rate-limits.ts";
import { z } from "zod";
import { MessageResponse } from "#lib/accounts/schema.ts";
import { defineOperation, globalScope, requireRequestWithAbortSignal } from "#lib/operation/operation.ts";
import { Pagination, timeOutput, buildPaginationFromTotal } from "#lib/operation/fields.ts";
import * as events from "#lib/events/events.ts";
import * as queries from "#lib/events/queries.ts";
import {
  EVENT_USER_CHANGE_MESSAGES,
  changeEventUser,
  grantRoleInEvent,
  removeEventUser,
  revokeRoleInEvent,
} from "#lib/events/roles.ts";
import {
  EventUserActivityEntry,
  EventUserActivityQuery,
  EventOutput,
  EventChangeInput,
  EventUserChangeInput,
  EventUserList,
  EventUserProfile,
  EventUsersQuery,
  EVENT_ROLES,
  EveryEventUserQuery,
  NewEventInput,
  OrganizationEventsQuery,
  EventRoleAssignmentInput,
  UserEventRole,
} from "#lib/events/schema.ts";
import { eventScope, eventUserScope, eventWithPublicFieldsScope } from "#lib/events/scope.ts";
import { organizationScope } from "#lib/organizations/scope.ts";
import { getEventRolesOfActor } from "#lib/operation/policy.ts";
import { countOpenIncidentsByAssignee } from "#lib/events/assignment-queries.ts";
import { describeIncidentsUnassignedByRevocation } from "#lib/events/assignments.ts";
import {
  listOpenAssignments,
  formatHandoverResult,
  handOverIncidents,
  IncidentHandoverInput,
  OpenAssignments,
  AssignedIncidentsQuery,
  EventWorkload,
} from "#lib/events/handover.ts";
import {
  loadGoLiveProgress,
  GoLiveProgress,
  markPosterViewedAndBuildReportFormUrl,
} from "#lib/events/go-live.ts";
import { joinAsReporter } from "#lib/events/join.ts";
import { eventLogoScope, saveEventLogo } from "#lib/events/logo.ts";
import {
  loadEventReportSettings,
  ReportSettings,
  ReportSettingsChangeInput,
  saveReportSettings,
} from "#lib/events/report-settings.ts";
import { createPublicImageResponse } from "#lib/files/download/download.ts";
import { LOGO_UPLOAD_RULE, storeLogoThenSaveRow } from "#lib/files/logo.ts";

/** Events, their people and roles (contract 6). Incidents have their own folder. */

export const createEvent = defineOperation({
  name: "createEvent",
  summary: "Create an event in an organization",
  ignoresUnknownNames: true,
  on: organizationScope,
  can: "organization.createEvent",
  input: NewEventInput,
  status: 201,
  location: ({ event }) => `/api/events/${event.id}`,
  once: "response",
  output: MessageResponse.extend({ event: EventOutput }),
  errors: ["SLUG_TAKEN"],
  run: async (context, input) => ({
    message: "The event has been created.",
    event: await events.createEvent(context, input),
  }),
});

export const listOrganizationEvents = defineOperation({
  name: "listOrganizationEvents",
  summary: "List the events of an organization",
  ignoresUnknownNames: true,
  on: organizationScope,
  can: "organization.listEvents",
  input: OrganizationEventsQuery,
  output: z.object({ events: z.array(EventOutput), pagination: Pagination }),
  run: async ({ organizationId, actor }, query) => {
    await consumeSearchLimit(actor.id, query);
    const found = await queries.listOrganizationEvents(organizationId, query, actor);
    return { events: found.events, pagination: buildPaginationFromTotal(query, found.total) };
  },
});

export const showEvent = defineOperation({
  name: "showEvent",
  summary: "Show an event to its admins",
  ignoresUnknownNames: true,
  on: eventScope,
  can: "event.view",
  output: z.object({ event: EventOutput }),
  version: ({ event }) => event.updatedAt,
  run: async ({ eventId }) => ({ event: await queries.loadEvent(eventId) }),
});

export const showPublicEvent = defineOperation({
  name: "showPublicEvent",
  summary: "Show the public page of an event",
  ignoresUnknownNames: true,
  on: eventWithPublicFieldsScope,
  can: "event.viewPublic",
  output: z.object({ event: EventOutput }),
  version: ({ event }) => event.updatedAt,
  run: async ({ event }) => ({ event }),
});

export const listPublicPages = defineOperation({
  name: "listPublicPages",
  summary: "List the public pages that search engines may list",
  on: globalScope,
  can: "event.viewPublic",
  limit: "lookup",
  output: z.object({ pages: z.array(z.object({ slug: z.string(), updatedAt: timeOutput })) }),
  run: async () => ({ pages: await queries.listSitemapEventPages() }),
});

export const updateEvent = defineOperation({
  name: "updateEvent",
  summary: "Change an event",
  ignoresUnknownNames: true,
  on: eventScope,
  can: "event.update",
  input: EventChangeInput,
  output: z.object({ event: EventOutput }),
  ifMatch: true,
  errors: ["SLUG_TAKEN"],
  run: async (context, change) => ({ event: await events.updateEvent(context, change) }),
});

export const showOwnRoles = defineOperation({
  name: "showOwnRoles",
  summary: "Show your roles in an event",
  ignoresUnknownNames: true,
  on: eventScope,
  can: "event.ownRoles",
  output: z.object({ roles: z.array(z.enum(EVENT_ROLES)) }),
  incidentsByRole: (_, { eventId }) => ({ events: [eventId] }),
  run: async ({ actor, eventId }) => ({ roles: getEventRolesOfActor(actor, eventId) }),
});

export const joinEvent = defineOperation({
  name: "joinEvent",
  summary: "Join an event as a Reporter, where anyone with an account may report",
  on: eventScope,
  can: "event.join",
  limit: "join",
  errors: ["EVENT_NOT_OPEN"],
  output: MessageResponse.extend({ roles: z.array(z.enum(EVENT_ROLES)) }),
  run: async (context) => ({
    message: "You are a member of this event.",
    roles: await joinAsReporter(context),
  }),
});

export const listEveryEventUser = defineOperation({
  name: "listEveryEventUser",
  summary: "List all people at an event, for its admins",
  ignoresUnknownNames: true,
  on: eventScope,
  can: "event.listUsersById",
  input: EveryEventUserQuery,
  output: EventUserList,
  run: async ({ eventId, actor }, query) => {
    const found = await queries.listUnfilteredEventUsers(queries.toEventPeopleViewer(actor, eventId), query);
    const { page, limit } = query;
    // Without a limit, one page holds the whole list.
    const paging = limit === undefined ? { page: 1, limit: Math.max(found.total, 1) } : { page, limit };
    return { ...found, pagination: buildPaginationFromTotal(paging, found.total) };
  },
});

export const listEventUsers = defineOperation({
  name: "listEventUsers",
  summary: "Search the people at an event; a Reporter finds only the response team and themself",
  ignoresUnknownNames: true,
  on: eventScope,
  can: "event.listUsers",
  input: EventUsersQuery,
  output: EventUserList,
  run: async ({ eventId, actor }, query) => {
    await consumeSearchLimit(actor.id, query);
    const found = await queries.listEventUsers(queries.toEventPeopleViewer(actor, eventId), query);
    return { ...found, pagination: buildPaginationFromTotal(query, found.total) };
  },
});

export const showEventUser = defineOperation({
  name: "showEventUser",
  summary: "Show a person at an event",
  ignoresUnknownNames: true,
  on: eventUserScope,
  can: "event.viewUser",
  output: EventUserProfile,
  run: ({ eventId, userId, actor }) =>
    queries.loadEventUser(queries.toEventPeopleViewer(actor, eventId), userId),
});

export const listEventUserActivity = defineOperation({
  name: "listEventUserActivity",
  summary: "List what a person did in an event",
  ignoresUnknownNames: true,
  on: eventUserScope,
  can: "event.viewUser",
  input: EventUserActivityQuery,
  output: z.object({ activities: z.array(EventUserActivityEntry), total: z.int(), pagination: Pagination }),
  run: async (person, query) => {
    const { invited } = await queries.requireEventUser(person);
    const isShown = !invited || queries.toEventPeopleViewer(person.actor, person.eventId).seesInvited;
    const found = isShown
      ? await queries.listUserActivity(person, query, person.actor)
      : { activities: [], total: 0 };
    return { ...found, pagination: buildPaginationFromTotal(query, found.total) };
  },
});

export const updateEventUser = defineOperation({
  name: "updateEventUser",
  summary: "Change the name, email address and role of a person at an event",
  ignoresUnknownNames: true,
  on: eventUserScope,
  can: "event.manageUsers",
  input: EventUserChangeInput,
  output: MessageResponse,
  errors: ["LAST_ADMIN", "EMAIL_TAKEN", "CONFLICT"],
  run: async (context, change) => {
    const { email, unassigned } = await changeEventUser(context, change);
    return {
      message: EVENT_USER_CHANGE_MESSAGES[email] + describeIncidentsUnassignedByRevocation(unassigned),
    };
  },
});

export const deleteEventUser = defineOperation({
  name: "deleteEventUser",
  summary: "Remove a person from an event",
  ignoresUnknownNames: true,
  on: eventUserScope,
  can: "event.manageUsers",
  output: MessageResponse,
  errors: ["LAST_ADMIN"],
  run: async (context) => {
    const unassigned = await removeEventUser(context);
    return {
      message: `The person was removed from the event.${describeIncidentsUnassignedByRevocation(unassigned)}`,
    };
  },
});

export const grantEventRole = defineOperation({
  name: "grantEventRole",
  summary: "Grant a user a role in an event",
  ignoresUnknownNames: true,
  on: eventScope,
  can: "event.manageRoles",
  input: EventRoleAssignmentInput,
  once: "response",
  output: MessageResponse.extend({ userEventRole: UserEventRole }),
  run: async (context, assignment) => ({
    message: "The role has been granted.",
    userEventRole: await grantRoleInEvent(context, assignment),
  }),
});

export const revokeEventRole = defineOperation({
  name: "revokeEventRole",
  summary: "Revoke a user's role in an event",
  ignoresUnknownNames: true,
  on: eventScope,
  can: "event.manageRoles",
  input: EventRoleAssignmentInput,
  output: MessageResponse,
  errors: ["LAST_ADMIN"],
  run: async (context, assignment) => {
    const unassigned = await revokeRoleInEvent(context, assignment);
    return { message: `The role was removed.${describeIncidentsUnassignedByRevocation(unassigned)}` };
  },
});

export const listEventUserAssignments = defineOperation({
  name: "listEventUserAssignments",
  summary: "List the open incidents of an event that are assigned to a person",
  on: eventUserScope,
  can: "event.handOver",
  input: AssignedIncidentsQuery,
  output: OpenAssignments,
  run: (holder, query) => listOpenAssignments(holder, query),
});

export const listWorkload = defineOperation({
  name: "listWorkload",
  summary: "Count the open incidents assigned to each person on an event's team",
  on: eventScope,
  can: "event.handOver",
  output: EventWorkload,
  run: async ({ eventId, actor }) => ({ people: await countOpenIncidentsByAssignee(eventId, actor) }),
});

export const handOverOpenIncidents = defineOperation({
  name: "handOverOpenIncidents",
  summary: "Hand over a person's open incidents to someone else on the team, or leave them unassigned",
  on: eventUserScope,
  can: "event.handOver",
  input: IncidentHandoverInput,
  output: MessageResponse.extend({ reassigned: z.int() }),
  errors: ["INVALID_ASSIGNEE"],
  run: async (context, input) => {
    const reassigned = await handOverIncidents(context, input);
    return { message: formatHandoverResult(reassigned, input.toUserId), reassigned };
  },
});

const OneReportSettings = z.object({ reportSettings: ReportSettings });

export const showReportSettings = defineOperation({
  name: "showReportSettings",
  summary: "Show what an event tells reporters",
  on: eventScope,
  can: "event.viewPublic",
  output: OneReportSettings,
  version: ({ reportSettings }) => reportSettings.updatedAt,
  run: async ({ eventId }) => ({ reportSettings: await loadEventReportSettings(eventId) }),
});

export const changeReportSettings = defineOperation({
  name: "changeReportSettings",
  summary: "Change what an event tells reporters",
  on: eventScope,
  can: "event.update",
  input: ReportSettingsChangeInput,
  output: OneReportSettings,
  ifMatch: true,
  run: async (context, change) => {
    await saveReportSettings(context, change);
    return { reportSettings: await loadEventReportSettings(context.eventId) };
  },
});

export const showGoLive = defineOperation({
  name: "showGoLive",
  summary: "Show what an event still needs before it is announced",
  on: eventScope,
  can: "event.update",
  output: z.object({ goLive: GoLiveProgress }),
  run: async ({ eventId, actor }) => ({ goLive: await loadGoLiveProgress(eventId, actor) }),
});

/** Only a page calls it: programs get the QR code itself. */
export const openEventPoster = defineOperation({
  name: "openEventPoster",
  summary: "Show what the poster of an event holds",
  on: eventWithPublicFieldsScope,
  can: "event.showQr",
  output: z.object({ address: z.string() }),
  run: ({ eventId, event }) => markPosterViewedAndBuildReportFormUrl(eventId, event.slug),
});

export const uploadEventLogo = defineOperation({
  name: "uploadEventLogo",
  summary: "Upload a logo for an event, replacing any earlier one",
  ignoresUnknownNames: true,
  on: eventScope,
  can: "event.changeLogo",
  body: "multipart",
  upload: LOGO_UPLOAD_RULE,
  limit: "upload",
  output: z.object({ event: EventOutput }),
  errors: ["IMAGE_TOO_LARGE"],
  run: async (context) => ({
    event: await storeLogoThenSaveRow(context.call.files, (logo) => saveEventLogo(context, logo)),
  }),
});

export const showEventLogo = defineOperation({
  name: "showEventLogo",
  summary: "Download the logo of an event",
  ignoresUnknownNames: true,
  on: eventLogoScope,
  can: "event.viewLogo",
  output: null,
  produces: ["image/webp"],
  errors: ["STORAGE_UNAVAILABLE"],
  run: ({ key, type, call }) =>
    createPublicImageResponse(requireRequestWithAbortSignal(call), { key, type, etag: `"${key}"` }),
});
