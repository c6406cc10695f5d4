import type { LiveBroadcast } from "#lib/jobs/broadcast.ts";

/** A person counts as gone after this; an open page reports every 20 seconds. */
const PRESENCE_TTL_MS = 45_000;

type PresenceMessage = NonNullable<LiveBroadcast["presence"]>;
type PresentPerson = { personId: string; doing: "reading" | "writing" };
type PresenceEntry = PresentPerson & { visit: string | undefined; until: number };

/** The people who are present at incidents, only in this process's memory. */
export class PresentPeople {
  /** By incident and person. */
  readonly #entries = new Map<string, Map<string, PresenceEntry>>();
  /** When visits that have ended may be forgotten, by person and visit: their messages may arrive until then. */
  readonly #endedVisits = new Map<string, number>();

  /**
   * Records what a person does. Messages of a visit may overtake each other, so none counts after its end, and its end
   * doesn't count for a person who is there with another visit.
   * @returns whether the message counts
   */
  record({ incidentId, personId, doing, visit }: PresenceMessage, now: number): boolean {
    const visitKey = visit && `${personId} ${visit}`;
    const people = this.#entries.get(incidentId) ?? new Map<string, PresenceEntry>();
    if (doing !== "gone") {
      if (visitKey && this.#endedVisits.has(visitKey)) return false;
      people.set(personId, { personId, doing, visit, until: now + PRESENCE_TTL_MS });
      this.#entries.set(incidentId, people);
      return true;
    }
    if (visitKey) this.#endedVisits.set(visitKey, now + PRESENCE_TTL_MS);
    if (visit && (people.get(personId)?.visit ?? visit) !== visit) return false;
    people.delete(personId);
    return true;
  }

  /** Lists the people who are present at an incident now. */
  list(incidentId: string, now: number): PresentPerson[] {
    const all = [...(this.#entries.get(incidentId)?.values() ?? [])];
    return all.filter(({ until }) => until > now).map(({ personId, doing }) => ({ personId, doing }));
  }

  /** Removes who hasn't reported for 45 seconds, and visits that ended as long ago. */
  removeExpired(now: number): void {
    for (const [visitKey, until] of this.#endedVisits) if (until <= now) this.#endedVisits.delete(visitKey);
    for (const [incidentId, people] of this.#entries) {
      for (const [personId, { until }] of people) if (until <= now) people.delete(personId);
      if (people.size === 0) this.#entries.delete(incidentId);
    }
  }
}
