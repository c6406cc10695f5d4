import type { IncidentKind } from "#lib/incidents/kinds.ts";
import type { IncidentState, Severity } from "#lib/incidents/schema.ts";
import type { PERSON_ROLES } from "#lib/people/schema.ts";
import type { EventRole, OrganizationRole } from "#lib/operation/actor.ts";
import courses from "./data/courses.json" with { type: "json" };
import organizations from "./data/organizations.json" with { type: "json" };
import people from "./data/people.json" with { type: "json" };
import places from "./data/places.json" with { type: "json" };
import named from "./data/named.json" with { type: "json" };
import attention from "./data/stories/attention.json" with { type: "json" };
import exclusion from "./data/stories/exclusion.json" with { type: "json" };
import following from "./data/stories/following.json" with { type: "json" };
import insults from "./data/stories/insults.json" with { type: "json" };
import messages from "./data/stories/messages.json" with { type: "json" };
import pictures from "./data/stories/pictures.json" with { type: "json" };
import safety from "./data/stories/safety.json" with { type: "json" };
import threats from "./data/stories/threats.json" with { type: "json" };
import texts from "./data/texts.json" with { type: "json" };

/** The data of the demo world, which data/README.md explains. */

type Texts = Partial<Record<string, Partial<Record<string, string[]>>>>;
export type EvidenceKind = "photo" | "chat" | "plan" | "statement" | "notes";
export type DemoStory = {
  kind: IncidentKind;
  places: string[];
  severity: Severity[];
  thing?: boolean;
  titles: string[];
  description: string;
  locations?: string[];
  files?: EvidenceKind[];
  texts?: Texts;
};
export type DemoStep = {
  hours: [number, number];
  by?: "colleague";
  state?: IncidentState;
  assign?: "lead" | "colleague";
  severity?: true;
  rename?: true;
  note?: string;
  message?: string;
  reply?: string;
};
export type DemoCourse = { name: string; share: number; steps: DemoStep[] };
export type DemoRole = EventRole | OrganizationRole;
export type DemoPerson = {
  name: string;
  email: string;
  as?: string;
  systemAdmin?: boolean;
  roles?: Partial<Record<string, DemoRole>>;
  guestOf?: string;
};
export type DemoInvite = {
  role: DemoRole;
  note?: string;
  day?: number;
  maxUses?: number;
  initial?: boolean;
  disabled?: boolean;
};
type ReportTimes = {
  fromDay?: number;
  toDay?: number;
  count?: number;
  hoursAgo?: number;
  course?: string;
  reporter?: string;
};

type StoriesOfKind = { texts: Texts; stories: Omit<DemoStory, "kind">[] };
const FILES = { attention, exclusion, following, insults, messages, pictures, safety, threats };
const STORIES_BY_KIND = FILES as Record<IncidentKind, StoriesOfKind>;
const TEXTS: { general: Texts; thing: Texts } = texts;

export const DEMO_STORIES: readonly DemoStory[] = Object.entries(STORIES_BY_KIND).flatMap(
  ([kind, { stories }]) => stories.map((story) => ({ ...story, kind: kind as IncidentKind })),
);
export const DEMO_COURSES = courses as DemoCourse[];
export const DEMO_ORGANIZATIONS = organizations.map(({ events, ...organization }) => ({
  ...organization,
  invites: organization.invites as DemoInvite[],
  events: events.map((event) => ({
    ...event,
    invites: event.invites as DemoInvite[],
    reports: event.reports as ReportTimes[],
    at: places[event.place as keyof typeof places],
  })),
}));
export type DemoOrganization = (typeof DEMO_ORGANIZATIONS)[number];
export type DemoEvent = DemoOrganization["events"][number];

export const DEMO_NAMED_PEOPLE = named as {
  organization: string;
  records: {
    name: string;
    role: (typeof PERSON_ROLES)[number];
    state: IncidentState;
    handles?: string[];
    addresses?: string[];
  }[];
}[];

/** The accounts that `npm run demo` prints, in this order. */
export const DEMO_ACCOUNTS = people.accounts as DemoPerson[];
export const DEMO_PEOPLE: readonly DemoPerson[] = [
  ...DEMO_ACCOUNTS,
  ...(people.team as DemoPerson[]),
  ...Object.entries(people.guests).flatMap(([guestOf, names]) =>
    names.map((name) => ({ name, email: buildEmail(name), guestOf })),
  ),
];

/** "Jana Horáková" → jana.horakova@example.org */
function buildEmail(name: string): string {
  const plain = name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return `${plain.replace(/[^a-z ]/g, "").replaceAll(" ", ".")}@example.org`;
}

/** Returns the texts for an occasion, from the most specific source that has any. @throws Error if none has */
export function listDemoTexts(story: DemoStory, part: string, occasion: string): string[] {
  const sources = [story.texts, story.thing && TEXTS.thing, STORIES_BY_KIND[story.kind].texts, TEXTS.general];
  const found = sources.map((source) => (source || {})[part]?.[occasion]).find((list) => list);
  if (!found) throw new Error(`no text for ${part}.${occasion}`);
  return found;
}
