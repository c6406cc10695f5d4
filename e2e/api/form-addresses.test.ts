import { hkdfSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { Reply, RequestOptions } from "#e2e/support/client.ts";
import { buildForm } from "#e2e/support/evidence.ts";
import { shareService } from "#e2e/support/service.ts";
import { TestWorld, type EventRef, type TestPerson } from "#e2e/support/world.ts";
import { loadDataKey, loadSessionCookieKeys } from "#lib/crypto/secrets.ts";
import { tryUnsealText } from "#lib/crypto/sealed-text.ts";

/**
 * The report form without script. Addresses end up in the logs of proxies and the history of browsers, so none of them
 * says who sends it, not even to somebody who has the keys of the data folder (docs/threat-model.md).
 */

const heed = await shareService();
const world = await TestWorld.build(heed);
const { ada, maya, omar } = world;

const STORY = "Someone shouted at me in the workshop.";

/** An anonymous report opens its mailbox, and a refused one is stored until its writer has it back. */
const SENT: RequestOptions = { opensMailbox: true, mayWrite: true };

/** An event of its own, at which both report. */
async function createOpenEvent(): Promise<EventRef> {
  const event = await world.newEvent(world.organization, "Lakeside open day");
  for (const person of [maya, omar]) await world.grant(person, event, "Reporter");
  await world.grant(ada, event, "Admin");
  return event;
}

type Page = { sendTo: string; ticket: string; text: string };

const pageIn = ({ text }: Reply): Page => ({
  sendTo: (/action="([^"]*\/report\/send[^"]*)"/.exec(text)?.[1] ?? "").replaceAll("&amp;", "&"),
  ticket: /name="ticket" value="([^"]*)"/.exec(text)?.[1] ?? "",
  text,
});

const formOf = async (person: TestPerson, event: EventRef): Promise<Page> =>
  pageIn(await world.as(person).get(`/e/${event.slug}/report`));

async function arrived(event: EventRef): Promise<string[]> {
  const { body } = await world.as(ada).get(`/api/events/${event.id}/incidents?order=asc`);
  return body.incidents.map(({ description }: { description: string }) => description);
}

const locationOf = ({ status, headers }: Reply): string => {
  expect(status).toBe(303);
  return String(headers.location);
};

const folder = { dataDir: heed.dataDir, SESSION_KEYS: undefined };

/** What a text opens to, with any key that can be made from those of the data folder. */
function openWithFolder(text: string, userIds: string[]): string[] {
  const sealed = Buffer.from(text, "base64url");
  const purposes = ["", "form ticket", "upload token", ...userIds.map((id) => `refused form:${text}:${id}`)];
  const infos = ["heed:form ticket", "heed:upload token", "heed:memory:refused form"];
  const secrets = [loadDataKey(folder), ...loadSessionCookieKeys(folder)].flatMap((key) => [
    Buffer.from(key),
    Buffer.from(key, "base64url"),
  ]);
  const keys = secrets.flatMap((secret) => [
    secret,
    ...infos.map((info) => Buffer.from(hkdfSync("sha256", secret, "", info, 32))),
  ]);
  return keys.flatMap((key) => purposes.flatMap((purpose) => tryUnsealText(purpose, sealed, key) ?? []));
}

/** The addresses that a page has a browser ask for by itself, and those to which its forms and links lead. */
const addressesIn = (text: string): string[] =>
  [...text.matchAll(/\s(?:href|src|action|srcset|poster)="([^"]*)"/gi)].map(([, address = ""]) =>
    address.replaceAll("&amp;", "&"),
  );

/** An address and every part of it that may be a value. */
const partsOf = (address: string): string[] => {
  const plain = decodeURIComponent(address);
  return [plain, ...plain.split(/[/?&=#;,]/).filter((part) => part !== "")];
};

describe("the report form without script", () => {
  test("names its sender in no URL, even with the keys of the data folder", async () => {
    const event = await createOpenEvent();
    const addresses: string[] = [];
    const visit = async (address: string) => {
      addresses.push(address);
      const reply = await world.as(maya).get(address);
      addresses.push(...addressesIn(reply.text));
      return pageIn(reply);
    };
    const send = async ({ sendTo, ticket }: Page, fields: Record<string, string>) => {
      const body = buildForm(
        { ticket, anonymous: "true", ...fields },
        { name: "seen.txt", bytes: "What I saw." },
      );
      const location = locationOf(await world.as(maya).post(sendTo, body, SENT));
      addresses.push(sendTo, location);
      return location;
    };
    const first = await visit(`/e/${event.slug}/report`);
    const refused = await send(first, { title: "Shouting in the workshop" });
    expect(refused).toContain("/report?return=");
    const back = await visit(refused);
    expect(back.text).toContain("Shouting in the workshop");
    expect(await send(back, { description: STORY })).toBe("/mailbox");
    await visit("/mailbox");
    expect(await send(back, { description: STORY })).toBe("/mailbox");
    expect(await send(back, { description: `${STORY} More.` })).toContain("/report?return=");
    expect(await arrived(event)).toEqual([STORY]);

    // The ticket in the body says who it is: the search below would find it in an address.
    expect(openWithFolder(back.ticket, [maya.id]).join()).toContain(maya.id);
    const parts = [...new Set(addresses.flatMap(partsOf))];
    expect(parts.filter((part) => part.includes(maya.id) || part.includes(back.ticket))).toEqual([]);
    expect(parts.filter((part) => openWithFolder(part, [maya.id, omar.id]).length > 0)).toEqual([]);
  });

  test("keeps the text during sign-in, for its writer only", async () => {
    const event = await createOpenEvent();
    const page = await formOf(maya, event);
    const body = buildForm({ ticket: page.ticket, anonymous: "true", description: STORY });
    const location = locationOf(await heed.visitor().post(page.sendTo, body, { mayWrite: true }));
    expect(location).toMatch(/^\/login\?next=/);
    const next = new URL(location, heed.url).searchParams.get("next") ?? "";
    expect((await world.as(omar).get(next)).text).not.toContain(STORY);
    const back = pageIn(await world.as(maya).get(next));
    expect([back.text.includes(STORY), back.ticket]).toEqual([true, page.ticket]);
  });

  test.each([
    ["a member", async () => omar],
    ["nobody of the event", () => world.person("Somebody Else")],
  ])("is not sent as somebody else's who is signed in by now, %s", async (_, somebody) => {
    const event = await createOpenEvent();
    const page = await formOf(maya, event);
    const body = buildForm({ ticket: page.ticket, anonymous: "true", description: STORY });
    const client = heed.visitor(world.as(await somebody()).cookie);
    const location = locationOf(await client.post(page.sendTo, body, { mayWrite: true }));
    expect(location).toMatch(/^\/login\?next=/);
    expect(await arrived(event)).toEqual([]);
    const next = new URL(location, heed.url).searchParams.get("next") ?? "";
    expect((await world.as(maya).get(next)).text).toContain(STORY);
  });

  test.each([
    ["whose session has ended", "", 403],
    ["without an account, whose file isn't accepted", "&without=account", 415],
  ])(
    "comes back at once with its text after its ticket has expired, to a writer %s",
    async (_, more, status) => {
      const event = await createOpenEvent();
      const { sendTo, ticket } = await formOf(maya, event);
      const body = buildForm(
        { ticket: ticket.replace(/.{4}$/, "AAAA"), anonymous: "true", description: STORY },
        { name: "seen.bin", bytes: "\0\0" },
      );
      const reply = await heed.visitor().post(`${sendTo}${more}`, body, { mayWrite: true });
      expect([reply.status, reply.text.includes(STORY)]).toEqual([status, true]);
    },
  );

  test("isn't read from a visitor without a URL made by the service", async () => {
    const event = await createOpenEvent();
    const { ticket, sendTo } = await formOf(maya, event);
    const forged = sendTo.replace(/.{4}$/, "AAAA");
    const body = buildForm({ ticket, description: STORY });
    const location = locationOf(await heed.visitor().post(forged, body, { mayWrite: true }));
    expect(location).toBe(`/login?next=${encodeURIComponent(`/e/${event.slug}/report`)}`);
  });
});
