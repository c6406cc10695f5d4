import { drawCodeNames } from "#lib/crypto/code-name.ts";
import type { Incident } from "#lib/generated/prisma/client.ts";
import { STORED_TYPE_BY_INCIDENT_KIND } from "#lib/incidents/kinds.ts";
import { computeMatchTerms } from "#lib/people/match-terms.ts";
import * as data from "./data.ts";
import type { DemoContext } from "./world.ts";

/**
 * Names people in reports: each record in the newest one of its organization that has the record's state and names nobody
 * else. Records that stand together are of one person, who was joined.
 */
export function addNamedPeople({ rows, random, now }: DemoContext): void {
  const used = new Set<string>();
  const codeNames = new Set(drawCodeNames(100)).values();
  for (const { organization, records } of data.DEMO_NAMED_PEOPLE) {
    const organizationId = rows.organizations.find(({ slug }) => slug === organization)?.id ?? "";
    const events = rows.events.filter((event) => event.organizationId === organizationId);
    const incidents = (rows.incidents as Incident[]).toReversed();
    let groupId: string | null = null;
    for (const { state, ...record } of records) {
      const isFree = (one: Incident) =>
        one.state === state && one.type !== STORED_TYPE_BY_INCIDENT_KIND.safety && !used.has(one.id);
      const incident = incidents.find((one) => isFree(one) && events.some(({ id }) => id === one.eventId));
      if (!incident) throw new Error(`no report in which ${record.name} could be named`);
      used.add(incident.id);
      const personId = random.uuid();
      const times = { createdAt: incident.updatedAt, updatedAt: incident.updatedAt };
      rows.people.push({
        id: personId,
        organizationId,
        codeName: codeNames.next().value ?? "",
        joinedToId: groupId,
        groupId: (groupId ??= personId),
        createdAt: incident.updatedAt < now ? incident.updatedAt : now,
      });
      const { id: incidentId, eventId, assignedResponderId: createdById } = incident;
      const place = { id: random.uuid(), incidentId, eventId, personId, createdById };
      const person = { handles: [], addresses: [], ...record };
      rows.incident_people.push({ ...place, ...person, matchTerms: computeMatchTerms(person), ...times });
    }
  }
}
