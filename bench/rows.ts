import type { Request } from "autocannon";
import type { EnvironmentSettings } from "#e2e/support/process.ts";
import { buildLoginRequest, encodeMultipart, createPictures, SAMPLE_REPORT } from "./client.ts";
import { buildReporterEmail, type World } from "./seed.ts";
import { COMMON_WORD, RARE_WORD } from "./text.ts";

/** The scenarios, in the order in which they run: read-only ones first, so that they find the seeded sizes. */

export type Cookies = { team: string; reporter: string; orgAdmin: string };
export type BenchContext = { world: World; cookies: Cookies };

export type Scenario = {
  /** Name for `--only`. */
  name: string;
  title: string;
  requests: (known: BenchContext) => Request[] | Promise<Request[]>;
  /** 8 by default. */
  connections?: number;
  /** Minimum share of the constant handler's requests per second. */
  share?: number;
  /** Maximum growth of the median from the smaller size to the larger. */
  growth?: number;
  /** Maximum ratio of its median to another scenario's at the same size. */
  beside?: { row: string; times: number };
  /** Extra settings, for which a separate service is started. */
  settings?: EnvironmentSettings;
};

const buildGetRequest = (path: string, cookie: string): Request => ({
  method: "GET",
  path,
  headers: { cookie },
});

const buildJsonRequest = (
  method: "POST" | "PATCH",
  path: string,
  given: { cookie: string; type: string; body: string | Buffer },
): Request => ({
  method,
  path,
  headers: { cookie: given.cookie, "content-type": given.type },
  body: given.body,
});

const JSON_TYPE = "application/json";

const session: Scenario["requests"] = ({ cookies }) => [buildGetRequest("/api/auth/session", cookies.team)];
const eventList: Scenario["requests"] = ({ world, cookies }) =>
  world.events.map(({ id }) => buildGetRequest(`/api/events/${id}/incidents?limit=20`, cookies.team));
const acrossEvents =
  (query: string): Scenario["requests"] =>
  ({ cookies }) => [buildGetRequest(`/api/users/me/incidents?limit=20${query}`, cookies.team)];
const publicEvent: Scenario["requests"] = ({ world }) =>
  world.events.map(({ slug }) => ({ method: "GET", path: `/api/events/slug/${slug}` }));
const publicPage: Scenario["requests"] = ({ world }) =>
  world.events.map(({ slug }) => ({ method: "GET", path: `/e/${slug}` }));
const inbox: Scenario["requests"] = ({ cookies }) => [buildGetRequest("/inbox", cookies.team)];
const analytics =
  (range: string): Scenario["requests"] =>
  ({ world, cookies }) => [
    buildGetRequest(
      `/api/organizations/${world.organizationId}/reports/analytics?timeRange=${range}`,
      cookies.orgAdmin,
    ),
  ];

const detail: Scenario["requests"] = ({ world, cookies }) =>
  world.incidents
    .slice(0, 500)
    .map(({ id, eventId }) => buildGetRequest(`/api/events/${eventId}/incidents/${id}`, cookies.team));

const comments: Scenario["requests"] = ({ world, cookies }) =>
  world.incidents
    .slice(0, 500)
    .map(({ id, eventId }) =>
      buildGetRequest(`/api/events/${eventId}/incidents/${id}/comments`, cookies.team),
    );

const notifications: Scenario["requests"] = ({ cookies }) => [
  buildGetRequest("/api/users/me/notifications", cookies.team),
];

const writeNote: Scenario["requests"] = ({ world, cookies }) => {
  const note = JSON.stringify({
    body: "Talked to the **venue**; they keep the recording.",
    visibility: "internal",
  });
  const given = { cookie: cookies.team, type: JSON_TYPE, body: note };
  return world.incidents
    .slice(0, 500)
    .map(({ id, eventId }) =>
      buildJsonRequest("POST", `/api/events/${eventId}/incidents/${id}/comments`, given),
    );
};

const createJson: Scenario["requests"] = ({ world, cookies }) => {
  const given = { cookie: cookies.team, type: JSON_TYPE, body: JSON.stringify(SAMPLE_REPORT) };
  return world.events.map(({ id }) => buildJsonRequest("POST", `/api/events/${id}/incidents`, given));
};

const createWithFile: Scenario["requests"] = async ({ world, cookies }) => {
  const { body, type } = await encodeMultipart(createPictures(1, 1024 * 1024));
  return [
    buildJsonRequest("POST", `/api/events/${world.events[0]?.id}/incidents`, {
      cookie: cookies.team,
      type,
      body,
    }),
  ];
};

/** Moves each incident from status to status; no two connections use the same incident at a time. */
const changeState: Scenario["requests"] = ({ world, cookies }) => {
  const moves = [
    { state: "acknowledged" },
    { state: "investigating", notes: "We look into it.", assignedToUserId: world.teamId },
    { state: "resolved", notes: "We spoke with everybody." },
    { state: "closed" },
  ].map((move) => JSON.stringify(move));
  let turn = 0;
  const next = (request: Request): Request => {
    const incident = world.incidents[turn % world.incidents.length];
    const body = moves[Math.floor(turn / world.incidents.length) % moves.length];
    turn += 1;
    return { ...request, path: `/api/events/${incident?.eventId}/incidents/${incident?.id}/state`, body };
  };
  const first = next({ method: "PATCH", headers: { cookie: cookies.team, "content-type": JSON_TYPE } });
  return [{ ...first, setupRequest: next }];
};

const login: Scenario["requests"] = () => {
  let turn = 0;
  const next = (request: Request): Request => ({
    ...request,
    body: buildLoginRequest(buildReporterEmail(1 + (turn++ % 200))).body,
  });
  const { method, headers, body } = buildLoginRequest(buildReporterEmail(1));
  return [{ method, path: "/api/auth/login", headers, body, setupRequest: next }];
};

// Turns on the rate limit counters that production mode uses for every call, with limits that this load doesn't
// reach.
const RATE_LIMIT_SETTINGS: EnvironmentSettings = {
  RATE_LIMITS: "on",
  RATE_GENERAL_USER_PER_MINUTE: "1000000",
  RATE_REPORT_USER_PER_HOUR: "1000000",
  RATE_GENERAL_ADDRESS_PER_MINUTE: "1000000",
};

export const SCENARIOS: Scenario[] = [
  { name: "session", title: "session check", requests: session, share: 0.6 },
  {
    name: "session-reporter",
    title: "session check, one event",
    requests: ({ cookies }) => [buildGetRequest("/api/auth/session", cookies.reporter)],
  },
  {
    name: "session-counted",
    title: "session check, rate limits on",
    requests: session,
    settings: RATE_LIMIT_SETTINGS,
  },
  { name: "event", title: "public event", requests: publicEvent, share: 0.7 },
  { name: "event-page", title: "public event as a page", requests: publicPage },
  { name: "list", title: "event list", requests: eventList, share: 0.5, growth: 1.3 },
  { name: "across", title: "cross-event list", requests: acrossEvents(""), share: 0.5, growth: 1.3 },
  // One at a time: measures how long one takes, not how many the server can process at once.
  {
    name: "across-alone",
    title: "cross-event list (1 connection)",
    requests: acrossEvents(""),
    connections: 1,
    growth: 1.3,
  },
  {
    name: "inbox",
    title: "inbox page (1 connection)",
    requests: inbox,
    connections: 1,
    growth: 1.3,
    beside: { row: "across-alone", times: 2 },
  },
  {
    name: "search",
    title: "cross-event search, rare word",
    requests: acrossEvents(`&search=${RARE_WORD}`),
    share: 0.5,
    growth: 2,
  },
  {
    name: "search-common",
    title: "cross-event search, common word",
    requests: acrossEvents(`&search=${COMMON_WORD}`),
    growth: 2,
  },
  { name: "detail", title: "detail", requests: detail, share: 0.5, growth: 1.3 },
  { name: "comments", title: "comments of an incident", requests: comments, growth: 1.3 },
  { name: "notifications", title: "notifications", requests: notifications, growth: 1.3 },
  { name: "analytics", title: "analytics, 30 days", requests: analytics("30d"), growth: 2 },
  { name: "analytics-all", title: "analytics, all time", requests: analytics("all"), growth: 2 },
  { name: "create", title: "create (JSON)", requests: createJson, share: 0.35, growth: 1.3 },
  {
    name: "create-file",
    title: "create (multipart, 1 MB)",
    requests: createWithFile,
    growth: 1.3,
  },
  { name: "note", title: "team note", requests: writeNote, growth: 1.3 },
  { name: "state", title: "state change", requests: changeState, share: 0.25, growth: 1.3 },
  // Hashing is deliberately slow: with two at a time, no response takes longer than a person would wait.
  { name: "login", title: "login (2 connections)", requests: login, connections: 2 },
];
