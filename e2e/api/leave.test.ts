import { describe, expect, test } from "vitest";
import type { RequestOptions, Client } from "#e2e/support/client.ts";
import { shareService } from "#e2e/support/service.ts";
import { TestWorld } from "#e2e/support/world.ts";

/** Quick exit over HTTP: it ends the session of this device, and leads nowhere that the event did not choose. */

const heed = await shareService();
const world = await TestWorld.build(heed);
const { ada, event, maya, nobody } = world;

const USUAL = "https://www.wikipedia.org/";
const OWN = "https://weather.example.org/today";
const chosen = await world.as(ada).patch(`/api/events/${event.id}/report-settings`, { exitUrl: OWN });
expect(chosen.status).toBe(200);

const LINK = `/leave?event=${event.slug}`;
/** The response may take the cookie of the session away. */
const follow = (client: Client, path = LINK, headers: RequestOptions["headers"] = {}) =>
  client.get(path, { headers, mayRenew: true });
const send = (client: Client, headers: RequestOptions["headers"] = {}) =>
  client.post("/leave", undefined, { headers, mayRenew: true });

/** Whether a session goes on, by its cookie alone: whoever was signed out may have kept a copy. */
async function goesOn(cookie: string | undefined): Promise<boolean> {
  expect(cookie).toMatch(/^session=./);
  return (await heed.visitor(cookie).get("/api/auth/session")).body.authenticated;
}

const OWN_SITE = { "sec-fetch-site": "same-origin", "sec-fetch-dest": "document" };

describe("signs out on this device, and on no other", () => {
  const ways: [string, (client: Client) => ReturnType<Client["get"]>, number][] = [
    ["by the link", (client) => follow(client, LINK, OWN_SITE), 303],
    [
      "by the link, in an older browser",
      (client) => follow(client, LINK, { referer: `${heed.url}/report/autumn` }),
      303,
    ],
    ["by POST", (client) => send(client, { ...OWN_SITE, "sec-fetch-dest": "empty" }), 204],
    ["by POST of an older browser", (client) => send(client, { origin: heed.url }), 204],
  ];
  test.each(ways)("%s, while other devices stay signed in", async (_, leave, status) => {
    const [here, elsewhere] = [await world.device(maya), await world.device(maya)];
    const { cookie } = here;
    expect(await goesOn(cookie)).toBe(true);
    const reply = await leave(here);
    expect(reply.status).toBe(status);
    expect(String(reply.headers["set-cookie"])).toMatch(/^session=;.*Max-Age=0/);
    // What tells that somebody has signed in here before goes as well.
    const removed = ["device", "mailbox", "returned"].map((name) =>
      expect.stringMatching(new RegExp(`^${name}=;.*Max-Age=0`)),
    );
    // Script reads this one, so that other tabs leave, too; a page with script has set it by then.
    const left = expect.stringMatching(/^heed_left=1; Path=\/; Max-Age=86400; SameSite=Lax$/);
    const wanted = status === 303 ? [removed[0], left, ...removed.slice(1)] : removed;
    expect(reply.headers["set-cookie"]?.slice(-wanted.length).toSorted()).toEqual(wanted);
    expect(reply.headers["referrer-policy"]).toBe("no-referrer");
    expect([await goesOn(cookie), await goesOn(elsewhere.cookie)]).toEqual([false, true]);
  });
});

describe("signs nobody out", () => {
  const others: RequestOptions["headers"][] = [
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
  ];

  test.each([...others, { origin: "https://evil.example" }, { origin: "null" }])(
    "for another site: POST with %o",
    async (headers) => {
      const here = await world.device(maya);
      const reply = await send(here, headers);
      expect([reply.status, reply.body.code]).toEqual([403, "CSRF_REJECTED"]);
      expect(reply.headers["set-cookie"]).toBeUndefined();
      expect(await goesOn(here.cookie)).toBe(true);
    },
  );

  test.each([
    ...others,
    // Typed, kept as a bookmark, or followed from a mail.
    { "sec-fetch-site": "none" },
    {},
    { referer: "https://evil.example/" },
    { "sec-purpose": "prefetch;prerender", "sec-fetch-site": "same-origin" },
    { purpose: "prefetch" },
    { "sec-fetch-site": "same-origin", "sec-fetch-dest": "image" },
  ])(
    "where the link is not followed from one of our pages, is fetched before it is pressed, or the address of a picture: %o",
    async (headers) => {
      const here = await world.device(maya);
      const reply = await follow(here, LINK, headers);
      // Anybody can have an event with an exit address of their choice, and link to it.
      const isForeign = others.includes(headers);
      expect([reply.status, reply.headers.location]).toEqual([303, isForeign ? USUAL : OWN]);
      expect(reply.headers["set-cookie"]).toBeUndefined();
      expect(await goesOn(here.cookie)).toBe(true);
    },
  );
});

describe("redirects", () => {
  test("to the event's address, for everybody", async () => {
    for (const client of [await world.device(maya), nobody])
      expect((await follow(client)).headers.location).toBe(OWN);
  });

  test.each([
    "/leave",
    "/leave?event=no-such-event",
    "/leave?event=//evil.example",
    "/leave?event=%00",
    "/leave?next=https://evil.example/&exitUrl=https://evil.example/&to=//evil.example",
  ])("to the usual page where no event says anything else: %s", async (path) => {
    const reply = await follow(nobody, path, { "x-forwarded-host": "evil.example" });
    expect([reply.status, reply.headers.location]).toEqual([303, USUAL]);
  });

  test("to the default address, and signs the browser out, if the database fails", async () => {
    const here = await world.device(maya);
    const move = (table: string, name: string) => heed.sql(`alter table ${table} rename to ${name}`);
    await move("sessions", "sessions_away");
    await move("events", "events_away");
    try {
      const { cookie } = here;
      const reply = await follow(here, LINK, OWN_SITE);
      expect([reply.status, reply.headers.location]).toEqual([303, USUAL]);
      expect(reply.headers["set-cookie"]).toContainEqual(expect.stringMatching(/^session=;.*Max-Age=0/));
      here.cookie = cookie;
      const sent = await here.send("POST", "/leave", undefined, { mayRenew: true, mayWrite: true });
      expect(sent.status).toBe(204);
      expect(sent.headers["set-cookie"]).toContainEqual(expect.stringMatching(/^session=;.*Max-Age=0/));
    } finally {
      await move("events_away", "events");
      await move("sessions_away", "sessions");
    }
  });
});
