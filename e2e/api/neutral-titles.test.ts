import { expect, test } from "vitest";
import { buildForm } from "#e2e/support/evidence.ts";
import type { Client, RequestOptions } from "#e2e/support/client.ts";
import { shareService } from "#e2e/support/service.ts";
import { generateUniqueWord } from "#e2e/support/unique.ts";
import { TestWorld } from "#e2e/support/world.ts";

/**
 * Titles of reports that nobody gave one. Members of the organization without a role in the event read titles, but
 * nothing else that a reporter wrote (contract 2.4, 10.1).
 */

const heed = await shareService();
const world = await TestWorld.build(heed);
const { event, organization, maya, viktor } = world;

const WRITTEN = {
  description: "Frank Doyle from the AV team pushed me against the wall. Others watched and laughed.",
  location: "Doyle's workshop behind stage seven",
  parties: "Quentin Marlowe, wearing a green badge",
};
const FORM = `/e/${event.slug}/report/send`;
const NUMBERS = `/api/organizations/${organization.id}/reports`;

/** All words of three and more letters, in lower case. */
const listWords = (text: string): string[] => text.toLowerCase().match(/\p{L}{3,}/gu) ?? [];

/** Sends the form with a description that no other report has, and returns the title of its report. */
async function sendForm(
  by: Client,
  fields: Record<string, string>,
  options?: RequestOptions,
): Promise<string> {
  const description = `${WRITTEN.description} ${generateUniqueWord()}`;
  const path = `${FORM}${options ? "?without=account" : ""}`;
  const sent = await by.post(path, buildForm({ ...WRITTEN, ...fields, description }), options);
  expect(sent.headers.location).toMatch(options ? /\/mailbox$/ : /\/report\/sent/);
  const found = await heed.sql<{ title: string }>("select title from incidents where description = $1", [
    description,
  ]);
  return found[0]?.title ?? "";
}

test.each([
  ["with a name", {}, "Report of "],
  ["with a kind", { type: "Threats or violence" }, "Threats or violence, "],
  ["with a kind of the sender's own", { type: "Shoving by Doyle" }, "Report of "],
  ["with a blank title", { title: " \n " }, "Report of "],
])("has no word that the reporter wrote: %s", async (_, fields, start) => {
  const title = await sendForm(world.as(maya), fields);
  expect(title.startsWith(start), title).toBe(true);
  const written = new Set(Object.values(WRITTEN).flatMap(listWords));
  expect(listWords(title).filter((word) => written.has(word))).toEqual([]);
});

test("has none in a report without an account, and is in its sender's language", async () => {
  const send = (language: string, fields: Record<string, string>) =>
    sendForm(heed.visitor(), fields, { headers: { "accept-language": language }, opensMailbox: true });
  expect(await send("en", { type: "Stalking or following" })).toMatch(/^Stalking or following, \d/);
  expect(await send("fr", {})).toMatch(/^Signalement du \d/);
});

test("stays as typed where the reporter wrote one", async () => {
  expect(await sendForm(world.as(maya), { title: "Pushed by a helper" })).toBe("Pushed by a helper");
});

test("shows a viewer of analytics and exports nothing of a report", async () => {
  const replies = await Promise.all(
    [`${NUMBERS}/analytics`, `${NUMBERS}/export?format=csv`, `${NUMBERS}/export?format=pdf`].map((path) =>
      world.as(viktor).get(path),
    ),
  );
  for (const { status, text } of replies) {
    expect(status).toBe(200);
    expect(text).toContain("Report of ");
    for (const word of ["Frank", "Doyle", "pushed me", "workshop", "Marlowe"])
      expect(text).not.toContain(word);
  }
});
