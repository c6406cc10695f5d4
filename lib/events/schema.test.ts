import { expect, test, vi } from "vitest";
import {
  EventChangeInput,
  EventUsersQuery,
  buildEventLogoUrl,
  eventRoleInput,
  EveryEventUserQuery,
  findEventOfLogoUrl,
  isDateRangeValid,
  NewEventInput,
} from "./schema.ts";

// URLs in responses come from BASE_URL alone, which is read when the first module loads.
vi.hoisted(() => {
  process.env.BASE_URL = "https://heed.example.org";
});

const problems = (result: { success: boolean; error?: { issues: { path: PropertyKey[] }[] } }) => [
  ...new Set(result.error?.issues.map((issue) => issue.path.join("."))),
];

test("role names are accepted in any letter case and returned in their exact form", () => {
  expect(["reporter", "RESPONDER", "aDmIn"].map((name) => eventRoleInput.parse(name))).toEqual([
    "Reporter",
    "Responder",
    "Admin",
  ]);
});

test("the address of an uploaded logo is one of an event, with https as without, and may be sent back", () => {
  const id = "3f2b8c1e-7d64-4a59-9b0f-2c5d8e7a6b41";
  const logo = buildEventLogoUrl({ id, logoUrl: null, logoKey: "0123456789" }) ?? "";
  for (const url of [logo, new URL(logo).pathname, `/events/${id}/logo`]) {
    expect(findEventOfLogoUrl(url), url).toBe(id);
    expect(EventChangeInput.parse({ logo: url })).toEqual({ logo: url });
  }
  expect(findEventOfLogoUrl("/api/events/slug/fair/logo?v=1")).toBe("slug/fair");
  for (const url of [
    "https://example.org/api/events/slug/fair/logo",
    "https://heed.example.org/",
    "http://[",
  ])
    expect(findEventOfLogoUrl(url), url).toBeUndefined();
  expect(problems(EventChangeInput.safeParse({ logo: "/e/fair/logo" }))).toEqual(["logo"]);
  expect(EventChangeInput.parse({ logo: null })).toEqual({ logo: null });
});

test.each(["SystemAdmin", "org_admin", "", " Admin", "constructor", 3, null])(
  "%j is no event role",
  (name) => {
    expect(eventRoleInput.safeParse(name).success).toBe(false);
  },
);

test("a new event without its optional members has none of them", () => {
  expect(NewEventInput.parse({ name: " Camp ", slug: "camp", startDate: "", contactEmail: null })).toEqual({
    name: "Camp",
    slug: "camp",
    description: null,
    startDate: null,
    timeZone: null,
    endDate: null,
    website: null,
    contactEmail: null,
    showTeam: true,
  });
});

test("an event may begin and end at the same moment, but not end before it begins", () => {
  const day = new Date("2026-05-01");
  expect(isDateRangeValid(day, day)).toBe(true);
  expect(isDateRangeValid(day, null)).toBe(true);
  expect(isDateRangeValid(day, new Date("2026-04-30"))).toBe(false);
  const reversed = { name: "Camp", slug: "camp", startDate: "2026-05-02", endDate: "2026-05-01" };
  expect(problems(NewEventInput.safeParse(reversed))).toEqual(["endDate"]);
});

test("a change needs at least one known member", () => {
  expect(EventChangeInput.safeParse({}).success).toBe(false);
  expect(EventChangeInput.safeParse({ slug: "other", organizationId: "x" }).success).toBe(false);
});

test("a change has exactly the given members; null and blank clear one", () => {
  const change = EventChangeInput.parse({ description: "", logo: null, startDate: null, contactEmail: " " });
  expect(change).toEqual({ description: null, logo: null, startDate: null, contactEmail: null });
  expect(EventChangeInput.parse({ isActive: false })).toEqual({ isActive: false });
});

test("values of the maximum length are taken", () => {
  const longest = {
    name: "🪷".repeat(120),
    description: "d".repeat(5000),
    codeOfConduct: "c".repeat(20_000),
  };
  expect(EventChangeInput.parse(longest)).toEqual(longest);
});

test.each([
  { logo: "http://a.example/x.png" },
  { logo: "javascript:alert(1)" },
  { logo: "data:image/png;base64,iVBORw0KGgo=" },
  { name: null },
  { name: " " },
  { name: "n".repeat(121) },
  { description: "d".repeat(5001) },
  { codeOfConduct: "c".repeat(20_001) },
  { newSlug: "api" },
  { newSlug: "Spring" },
  { newSlug: null },
  { website: "javascript:alert(1)" },
  { website: "https://user:secret@example.org/" },
  { contactEmail: "team" },
  { contactEmail: "a@example.org, b@example.org" },
  { startDate: "2026-02-30" },
  { startDate: 1_780_000_000 },
  { startDate: "1899-12-31T23:59:59Z" },
  { endDate: "2026-06-01T18:00:00" },
  { endDate: "2101-01-01T00:00:00Z" },
  { timeZone: "Mars/Olympus" },
  { timeZone: "+02:00" },
  { isActive: "false" },
  { isActive: null },
])("%j is refused", (change) => {
  expect(problems(EventChangeInput.safeParse(change))).toEqual(Object.keys(change));
});

test("an uploaded logo is shown before a linked one, and its address changes with it", () => {
  const logoUrl = "https://a.example/x.png";
  const uploaded = buildEventLogoUrl({ id: "e1", logoUrl, logoKey: "12345678-aaaa" });
  expect(uploaded).toBe("https://heed.example.org/api/events/e1/logo?v=12345678");
  expect(buildEventLogoUrl({ id: "e1", logoUrl, logoKey: null })).toBe(logoUrl);
  expect(buildEventLogoUrl({ id: "e1", logoUrl: null, logoKey: null })).toBeNull();
});

test("people are listed by name, 20 a page, unless asked otherwise; by id all of them", () => {
  expect(EventUsersQuery.parse({})).toEqual({ sort: "name", order: "asc", page: 1, limit: 20 });
  expect(EventUsersQuery.parse({ limit: "500", role: "admin" })).toMatchObject({ limit: 100, role: "Admin" });
  expect(EveryEventUserQuery.parse({})).toEqual({ page: 1 });
  expect(EveryEventUserQuery.safeParse({ limit: "0" }).success).toBe(false);
});
