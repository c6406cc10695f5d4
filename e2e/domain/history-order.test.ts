import { expect, it } from "vitest";
import { prisma } from "#lib/database/client.ts";
import { listUserActivity } from "#lib/events/queries.ts";
import {
  HistoryQuery,
  loadHistoryAndRecordView,
  loadIncidentTimelineAndRecordView,
} from "#lib/incidents/history-queries.ts";
import { changeState } from "#lib/incidents/state-change.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { createEvent, createIncident, createOrganization, createUser } from "#e2e/support/rows.ts";

/** Each of these is an entry of its own, and all of them have the same time. */
const ACTIONS = ["state", "assignee", "resolution", "note"];

it("keeps the order of entries that are written in one transaction", async () => {
  const { id: organizationId } = await createOrganization();
  const { id: eventId, slug } = await createEvent(organizationId);
  const { id, email, name } = await createUser();
  await prisma.eventRole.create({ data: { eventId, userId: id, roleName: "Admin" } });
  const events: Actor["events"] = [{ eventId, slug, organizationId, roles: ["Admin"] }];
  const actor: Actor = {
    id,
    email,
    name,
    avatarUrl: null,
    sessionId: "",
    systemAdmin: false,
    organizations: [],
    events,
  };

  // A random order of four would be this one every 24th time.
  for (let count = 0; count < 3; count += 1) {
    const incident = await createIncident({ eventId });
    const context = {
      actor,
      organizationId,
      eventId,
      incidentId: incident.id,
      reporterId: null,
      right: "event:Admin",
      call: { requestId: "", ifMatch: null },
    };
    const change = {
      state: "resolved",
      notes: "Called the venue.",
      outcome: null,
      assignedToUserId: id,
    } as const;
    await changeState(context as never, incident.id, change);
    const query = HistoryQuery.parse({});
    const actions = (history: { action: string }[]) => history.map(({ action }) => action);
    const ascending = await loadHistoryAndRecordView(context as never, query);
    expect(actions(ascending.history)).toEqual(ACTIONS);
    const descending = await loadHistoryAndRecordView(context as never, { ...query, order: "desc" });
    expect(actions(descending.history)).toEqual(ACTIONS.toReversed());
    const timeline = await loadIncidentTimelineAndRecordView(context as never, { page: 1, kind: "all" });
    expect(actions(timeline.history)).toEqual(ACTIONS.toReversed());
  }
  const { activities } = await listUserActivity(
    { eventId, organizationId, userId: id },
    { page: 1, limit: 4 },
    { id },
  );
  expect(activities.map(({ action }) => action)).toEqual(ACTIONS.toReversed());
});
