import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { shareService } from "#e2e/support/service.ts";
import { generateUniqueWord } from "#e2e/support/unique.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import { TestWorld, type TestPerson } from "#e2e/support/world.ts";

/** What the pages of reporters say, as the service renders them. */

const heed = await shareService();
const world = await TestWorld.build(heed);
const { ada, event, maya, olga, omar, organization, viktor } = world;

const nameOutsidePerson = (person: TestPerson | null) =>
  world.as(olga).put(`/api/organizations/${organization.id}/outside-person`, { userId: person && person.id });

/** The text of a page or a part of it, without what marks it up. */
const readPlain = (html: string): string =>
  html
    .replace(/<script[\s\S]*?<\/script>/g, "")
    .replace(/<[^>]+>|[\u2066-\u2069]/g, "")
    .replaceAll("&#x27;", "'");

const readText = async (client = heed.visitor(), path = "/"): Promise<string> =>
  readPlain((await client.get(path)).text);

beforeAll(async () => {
  await nameOutsidePerson(viktor);
  await world.as(ada).patch(`/api/events/${event.id}/report-settings`, { showTeam: true });
});

describe("who can read a report that was just sent", () => {
  const describeSent = (excluded: readonly TestPerson[]) => ({
    title: `Beside the stairs ${generateUniqueWord()}`,
    description: "It happened an hour ago.",
    excludedUserIds: excluded.map(({ id }) => id),
  });

  async function readConfirmation(excluded: readonly TestPerson[]): Promise<string> {
    const sent = await world.as(maya).post(`/api/events/${event.id}/incidents`, describeSent(excluded));
    expect(sent.status, sent.text).toBe(201);
    return readText(world.as(maya), `/e/${event.slug}/report/sent?id=${sent.body.incident.id}`);
  }

  async function readReceipt(excluded: readonly TestPerson[]): Promise<string> {
    const visitor = heed.visitor();
    const path = `/api/events/slug/${event.slug}/anonymous-reports`;
    await visitor.post(path, { ...describeSent(excluded), openMailbox: true }, { opensMailbox: true });
    return readText(visitor, "/mailbox");
  }

  describe.each([
    ["the confirmation", readConfirmation],
    ["the receipt", readReceipt],
  ])("%s", (_, read) => {
    test("says the team, and nothing of hiding, if the report is hidden from nobody", async () => {
      const text = await read([]);
      expect(text).toContain(`The response team of ${event.name} can read your report now.`);
      expect(text).not.toContain("hidden");
    });

    test("leaves out people from whom the report is hidden, without their names", async () => {
      const text = await read([omar]);
      expect(text).toContain("can read your report now, except for anyone from whom it’s hidden.");
      expect(text).not.toContain(omar.name);
    });

    test("names the outside person, if nobody on the team can read the report", async () => {
      const text = await read([omar, ada]);
      expect(text).toContain(
        `${viktor.name} can read your report now. The organization has chosen ${viktor.name}`,
      );
      expect(text).not.toContain("Someone on the response team will read it");
    });

    test("says that readers are asked first, where the conflict check is on", async () => {
      const put = (conflictCheck: boolean) =>
        world.as(olga).put(`/api/organizations/${organization.id}`, { conflictCheck });
      await put(true);
      const text = await read([]);
      await put(false);
      expect(text).toContain("Before someone opens it, we ask whether they’re too close to anyone involved.");
      expect(await read([])).not.toContain("too close");
    });
  });

  test("the confirmation says nothing of seven words to a named sender who holds no role any more", async () => {
    const person = await world.person("Left Since", { events: [[event, "Reporter"]] });
    const sent = await world.as(person).post(`/api/events/${event.id}/incidents`, describeSent([]));
    const read = () => readText(world.as(person), `/e/${event.slug}/report/sent?id=${sent.body.incident.id}`);
    const unreadable = "You can’t follow it here any more.";
    expect(await read()).not.toContain(unreadable);
    await world.revoke(person, event);
    const text = await read();
    expect(text).toContain(unreadable);
    expect(text).not.toContain("You sent it without your name.");
  });

  test("the confirmation says so if nobody can read it any more", async () => {
    const sent = await world.as(maya).post(`/api/events/${event.id}/incidents`, describeSent([omar, ada]));
    const { id } = sent.body.incident;
    const text = await waitUntil(
      "a page from before the job passes it to the outside person again",
      async () => {
        await heed.sql("delete from incident_readers where incident_id = $1 and source = 'outside'", [id]);
        const shown = await readText(world.as(maya), `/e/${event.slug}/report/sent?id=${id}`);
        return (
          (await heed.rows("incident_readers", "incident_id = $1 and source = 'outside'", [id])) === 0 &&
          shown
        );
      },
    );
    expect(text).toContain("can read your report at present");
    expect(text).not.toContain("will read it");
  });
});

describe("the report form", () => {
  const read = () => readText(world.as(maya), `/e/${event.slug}/report`);

  test("says who reads what the whole team mustn’t, and what can’t be promised where nobody does", async () => {
    expect(await read()).toMatch(new RegExp(`${viktor.name}.? reads your report and decides`));
    await nameOutsidePerson(null);
    const text = await read();
    await nameOutsidePerson(viktor);
    expect(text).toMatch(
      /no one else reads it until the organization chooses someone\. We can’t promise when/,
    );
    expect(text).not.toContain(viktor.name);
  });
});

describe("whom a report alerts when someone is in danger", () => {
  const alert = "it alerts the response team right away";
  const withoutAccount = `/e/${event.slug}/report?without=account`;

  test("leaves out people from whom the report is hidden, where the form asks for them", async () => {
    expect(await readText(heed.visitor(), withoutAccount)).toContain(
      `${alert}, except anyone you hide it from.`,
    );
  });
});

describe("what became of a report", () => {
  /** A report of each kind, with what its own reporter reads of it on its page. */
  async function sendBoth() {
    const named = await world.report(maya, event);
    const visitor = heed.visitor();
    const title = `By the fountain ${generateUniqueWord()}`;
    await visitor.post(
      `/api/events/slug/${event.slug}/anonymous-reports`,
      { title, description: "It happened there.", openMailbox: true },
      { opensMailbox: true },
    );
    await visitor.post("/api/mailbox/receipt/saved");
    await visitor.post("/api/mailbox/receipt/confirmation", { entered: {} });
    const [row] = await heed.sql<{ id: string }>("select id from incidents where title = $1", [title]);
    const unnamed = { ...named, id: row?.id ?? "" };
    return [
      { report: named, read: () => readText(world.as(maya), `/e/${event.slug}/i/${named.id}`) },
      { report: unnamed, read: () => readText(visitor, "/mailbox") },
    ];
  }

  const ARRIVED = "Your report has arrived.";
  const WRITTEN = "Your report has arrived, and the team has written to you.";

  test("while it is Submitted includes that the team has written, and the list claims nothing about that", async () => {
    for (const { report, read } of await sendBoth()) {
      expect(await read()).toContain(ARRIVED);
      expect(await read()).not.toContain(WRITTEN);
      await world.as(omar).post(`/api/events/${event.id}/incidents/${report.id}/comments`, {
        body: "Hello.",
        visibility: "public",
      });
      const text = await read();
      expect(text).toContain(WRITTEN);
      expect(text).not.toContain("No one has responded yet");
    }
    const list = await readText(world.as(maya), `/e/${event.slug}/incidents`);
    expect(list).toContain(ARRIVED);
    expect(list).not.toContain("No one has responded yet");
  });

  test("is the outcome only while it is finished; reopened, what the team told is the earlier one", async () => {
    for (const { report, read } of await sendBoth()) {
      const path = `/api/events/slug/${event.slug}/incidents/${report.id}`;
      await world.as(omar).patch(path, {
        state: "resolved",
        resolution: "Marker-record",
        outcome: "We spoke with them.",
      });
      const finished = await read();
      expect(finished).toMatch(/Outcome[^]{0,80}We spoke with them\./);
      expect(finished).not.toContain("Earlier");
      await world.as(omar).patch(path, { state: "acknowledged" });
      const reopened = await read();
      expect(reopened).toMatch(/Earlier outcome[^]{0,80}We spoke with them\./);
      expect(finished + reopened).not.toContain("Marker-record");
    }
  });
});

describe("quick exit", () => {
  /** The heading of a page, its title, and the texts of the links that lead away from it at once. */
  async function readPage(address: string, person?: TestPerson) {
    const headers: Record<string, string> = person ? { cookie: world.as(person).cookie ?? "" } : {};
    const response = await fetch(heed.url + address, { headers });
    const html = await response.text();
    const readAll = (pattern: RegExp) =>
      [...html.matchAll(pattern)].map(([, inner = ""]) => readPlain(inner));
    return {
      heading: readAll(/<h1[^>]*>(.*?)<\/h1>/g).join(),
      title: readAll(/<title>(.*?)<\/title>/g).join(),
      exits: readAll(/<a [^>]*href="\/leave[^>]*>(.*?)<\/a>/g),
      text: readPlain(html),
    };
  }

  const EXIT = [expect.stringContaining("Leave this page quickly")];
  const report = `/e/${event.slug}/report`;

  test.each([
    ["the event's page", `/e/${event.slug}`],
    ["the page where a visitor to the report form signs in", report],
    ["the page where they sign up", `/register?next=${encodeURIComponent(report)}`],
  ])("is on the way to a report: %s", async (_, address) => {
    expect((await readPage(address)).exits).toEqual(EXIT);
  });

  test("isn't where nobody comes to report", async () => {
    for (const [address, person] of [
      ["/login", undefined],
      ["/inbox", omar],
      [`/e/${event.slug}/incidents`, omar],
    ] as const) {
      const { heading, exits } = await readPage(address, person);
      expect([heading !== "", exits], address).toEqual([true, []]);
    }
  });

  test.each(["/notifications", "/account/data"])(
    "is on %s for people who only report, and not for the team",
    async (address) => {
      for (const [person, exits] of [
        [maya, EXIT],
        [omar, []],
      ] as const)
        expect((await readPage(address, person)).exits).toEqual(exits);
    },
  );

  test("is on the report form of an event that somebody isn't a member of yet", async () => {
    const closed = await world.newEvent(organization);
    await world.grant(ada, closed, "Admin");
    await world.as(ada).patch(`/api/events/${closed.id}/report-settings`, { whoCanReport: "invite" });
    const { heading, title, exits, text } = await readPage(`/e/${closed.slug}/report`, world.nora);
    expect(heading).toBe("You’re not a member of this event yet");
    expect(title).toBe("Heed");
    expect(text).toContain("In danger now?");
    expect(exits).toEqual(EXIT);
  });

  const MISSING = /^(Page not found|You don’t have access to this page)$/;
  test.each([
    ["a page of the team", "/jump?search=gazebo", /^Quick jump$/],
    ["a search of their reports", `/inbox?search=${"x".repeat(201)}`, /^This search isn’t valid$/],
    ["an incident", `/e/${event.slug}/i/${randomUUID()}`, MISSING],
  ])("is on error pages for reporters, too, and not for the team: %s", async (_, address, wanted) => {
    for (const [person, exits] of [
      [maya, EXIT],
      [omar, []],
    ] as const) {
      const page = await readPage(address, person);
      expect(page.heading).toMatch(wanted);
      expect(page.exits).toEqual(exits);
    }
  });
});

test.each([
  ["that doesn't exist", "no-such-event"],
  ["of another organization", world.foreignEvent.slug],
])("an event in the address %s doesn't look like an empty one", async (_, slug) => {
  const text = await readText(world.as(omar), `/inbox?event=${slug}`);
  expect(text).toContain("Event not found");
  expect(text).not.toContain("No matching incidents");
});
