import { describe, expect, test } from "vitest";
import { waitForResetToken } from "#e2e/support/outbox.ts";
import { PlainBrowser } from "#e2e/support/plain-browser.ts";
import { generateCode, insertSecondFactor } from "#e2e/support/second-factor.ts";
import { shareService } from "#e2e/support/service.ts";
import { generateUniqueWord } from "#e2e/support/unique.ts";
import { PASSWORD, TestWorld, type EventRef, type TestPerson } from "#e2e/support/world.ts";

/** The pages of those who have not signed in, or not yet, and of their accounts, without script. */

const heed = await shareService();
const world = await TestWorld.build(heed);
const { ada, event, olga, organization, sam } = world;

const visit = (person?: TestPerson, language?: string) =>
  new PlainBrowser(heed.url, person && world.as(person).cookie, language);

async function signIn(browser: PlainBrowser, email: string, password = PASSWORD): Promise<void> {
  await browser.fill("Email", email).fill("Password", password).press("Sign in");
}

describe("an account", () => {
  test("is created, signs out, gets a new password by mail and signs in with it", async () => {
    const browser = visit();
    const email = `maya.${generateUniqueWord()}@example.org`;
    await browser.open("/register");
    browser.fill("Name", "Maya Castillo").fill("Email", email).fill("Password", PASSWORD);
    await browser.press("Create account");
    expect(browser.path).not.toContain("/register");
    await browser.open("/inbox");
    await browser.press("Sign out");
    await browser.open("/inbox");
    expect(browser.path).toBe("/login?next=%2Finbox");

    await browser.open("/forgot-password");
    await browser.fill("Email", email).press("Send me a link");
    await browser.open(`/reset-password?token=${await waitForResetToken(heed, email)}`);
    await browser.fill("New password", "another quiet river").press(/password/i);
    expect(browser.path).not.toContain("/reset-password");
    await browser.open("/login?next=%2Finbox");
    await signIn(browser, email, "another quiet river");
    expect([browser.status, browser.path]).toEqual([200, "/inbox"]);
  });

  test("names missing fields in their order; a wrong password is refused at the form, and the address stays in it", async () => {
    const browser = visit();
    await browser.open("/register");
    await browser.press("Create account");
    expect(browser.alert).toMatch(/Name is missing\..*Email is missing\..*Password is missing\./);
    await browser.open("/login");
    await browser.press("Sign in");
    expect(browser.describe("Email")).toBe("Email is missing.");
    expect(browser.describe("Password")).toBe("Password is missing.");
    await browser.fill("Email", "no address").press("Sign in");
    expect(browser.describe("Email")).toBe("Email must be an email address.");
    await signIn(browser, "nobody@example.org", "not the password");
    expect(browser.alert).toContain("wrong");
    expect(browser.valueOf("Email")).toBe("nobody@example.org");
    // What comes back from the server never holds a password.
    expect(browser.valueOf("Password")).toBe("");
    expect(browser.html.includes("not the password")).toBe(false);
  });

  // lib/http/next-path.test.ts has the others.
  test("is never led to another site by signing in", async () => {
    const browser = visit();
    await browser.open(`/login?next=${encodeURIComponent("/\\evil.example")}`);
    const addresses = [...browser.html.matchAll(/ (?:href|value|action)="([^"]*)"/g)].map(([, one]) => one);
    // The language form leads back to this address.
    expect(addresses.filter((one) => one?.includes("evil") && !one.startsWith("/login?next="))).toEqual([]);
    await signIn(browser, world.maya.email);
    expect(browser.status).toBe(200);
  });

  test("signs out other devices, one, then all, and by a new password, which requires the current one", async () => {
    const person = await world.person("Ida Holm");
    const others = [await world.device(person), await world.device(person)];
    const browser = visit(person);
    const statuses = (clients = others) =>
      Promise.all(clients.map(async (client) => (await client.get("/api/users/me")).status));
    await browser.open("/account/security");
    expect(browser.text).toContain("This device");
    const one = "Sign out Unknown device";
    expect(browser.texts("button").filter((text) => text === one)).toHaveLength(2);
    await browser.part("form", one).press(one);
    expect(browser.text).toContain("That device is signed out.");
    expect((await statuses()).toSorted()).toEqual([200, 401]);
    const { body } = await world.as(person).get("/api/users/me/sessions");
    expect(body.sessions).toHaveLength(2);
    await browser.press("Sign out all other devices");
    expect(browser.text).toContain("All other devices are signed out.");
    expect(await statuses()).toEqual([401, 401]);
    expect(await statuses([world.as(person), world.as(world.maya)])).toEqual([200, 200]);

    const other = await world.device(person);
    const change = async (current: string, wanted: string) => {
      await browser.fill("Current password", current).fill("New password", wanted).press("Change password");
      expect([browser.html.includes(current), browser.html.includes(wanted)]).toEqual([false, false]);
    };
    await change("a loud river at noon", "a heron by the old mill");
    expect(browser.describe("Current password")).toMatch(/is wrong/);
    expect(await statuses([other])).toEqual([200]);
    await change(PASSWORD, "zzshort");
    expect(browser.describe("New password")).toMatch(/must be at least 8 characters/);
    await change(PASSWORD, "a heron by the old mill");
    expect(browser.text).toContain("Your password has been changed.");
    expect(await statuses([other])).toEqual([401]);
  });
});

test("recovery codes are replaced with the password, and one of them turns two-factor sign-in off", async () => {
  const person = await world.person("Kaia Brandt");
  const secret = await insertSecondFactor(world, person);
  const browser = visit(person);
  const codes = () => browser.texts("li").filter((text) => /^[\w-]{8,}$/.test(text) && /\d/.test(text));
  await browser.open("/account/security");
  await browser.follow("New recovery codes");
  await browser.fill("Your password", "a loud river at noon").press("Create new codes");
  expect(browser.describe("Your password")).toMatch(/is wrong/);
  await browser.fill("Your password", PASSWORD).press("Create new codes");
  expect(codes()).toHaveLength(10);
  await browser.follow("I’ve saved them");
  expect(browser.text).toContain("10 recovery codes left.");
  await browser.fill("Your password", PASSWORD).fill(/^Code/, generateCode(secret)).press("Turn off");
  expect(browser.text).toContain("Two-factor sign-in is off.");
  expect(await heed.rows("second_factors", "user_id = $1", [person.id])).toBe(0);
});

test("a visitor gets the browser's language, and can choose another", async () => {
  const browser = visit(undefined, "de-AT");
  await browser.open("/login?next=%2Finbox");
  expect(browser.heading).toBe("Anmelden");
  await browser.press("Français");
  expect([browser.heading, browser.path]).toEqual(["Se connecter", "/login?next=%2Finbox"]);
  await browser.open("/register");
  expect(/<html[^>]*>/.exec(browser.html)?.[0]).toContain('lang="fr"');
});

test.each(["/login", "/register", "/nowhere", "/account", "/account/security", "/notifications"])(
  "in Arabic pages run from right to left, with a heading in Arabic: %s",
  async (path) => {
    const browser = visit(/login|register|nowhere/.test(path) ? undefined : world.nora, "ar-EG");
    await browser.open(path);
    expect(/<html[^>]*>/.exec(browser.html)?.[0]).toBe('<html lang="ar" dir="rtl">');
    expect(browser.heading).not.toMatch(/[a-z]{3}/i);
    expect(browser.heading).not.toBe("");
  },
);

describe("the landing page", () => {
  test("describes the service, and leads to an event by its link", async () => {
    const browser = visit();
    const label = "Event link or short name";
    await browser.open("/");
    expect(browser.heading).toContain("Heed makes sure they do");
    expect(browser.hrefOf("Come back to a report")).toBe("/mailbox");
    for (const [typed, said] of [
      ["not an event", /This isn’t an event link/],
      ["no-such-event", /We found no event with this link or short name/],
    ] as const) {
      await browser.fill(label, typed).press("Open the event");
      expect(browser.describe(label)).toMatch(said);
      expect(browser.valueOf(label)).toBe(typed);
    }
    await browser.fill(label, `https://heed.example.org/e/${event.slug}?from=badge`).press("Open the event");
    expect([browser.path, browser.heading]).toEqual([`/e/${event.slug}`, event.name]);
  });

  test.each([
    ["maya", "Your reports", "Your reports"],
    ["omar", "Your incidents", "Incidents"],
    ["viktor", null, "Organizations"],
  ] as const)(
    "and the navigation lead only team members to incidents: %s",
    async (name, onPage, inNavigation) => {
      const browser = visit(world[name]);
      await browser.open("/");
      if (onPage) expect(browser.hrefOf(onPage)).toBe("/inbox");
      await browser.open("/account");
      expect(browser.part("nav", inNavigation).links()).toEqual([inNavigation]);
    },
  );
});

/** An event of its own with these settings, and ada as its Admin. */
async function openEvent(settings: object, changes: object = {}): Promise<EventRef> {
  const place = await world.newEvent(organization, "Lakeside open day");
  await world.grant(ada, place, "Admin");
  await world.as(ada).patch(`/api/events/slug/${place.slug}`, changes);
  await world.as(ada).patch(`/api/events/${place.id}/report-settings`, settings);
  return place;
}

describe("an event's page", () => {
  test("shows its rules with their contents, who answers, how soon, and whom to call", async () => {
    const codeOfConduct =
      "Be kind.\n\n## What we ask\n\n- Listen\n- **Ask** first\n\n## What has no place\nThreats.\n\n## After a report\nWe answer.";
    const place = await openEvent({}, { codeOfConduct, contactEmail: "team@riverside.example.org" });
    const browser = visit();
    await browser.open(`/e/${place.slug}`);
    expect(browser.text).not.toContain(ada.name);
    await world.as(ada).patch(`/api/events/${place.id}/report-settings`, {
      showTeam: true,
      emergencyContact: "Venue security: 555 0100",
      answerWithinHours: 48,
    });
    await browser.open(`/e/${place.slug}`);
    expect(browser.text).toContain("Venue security: 555 0100");
    expect(browser.text).toContain("Within 2 days, someone on the response team will read it");
    expect(browser.texts("li").some((item) => item.includes(ada.name))).toBe(true);
    expect(browser.hrefOf("After a report")).toBe("#conduct-4");
    expect(browser.html.includes('<section id="conduct-4"')).toBe(true);
    expect(browser.hrefOf("Report something that happened")).toBe(`/e/${place.slug}/report?without=account`);
  });

  test("of an event that is over says so, and still leads to a report", async () => {
    const place = await openEvent({}, { isActive: false });
    const browser = visit();
    await browser.open(`/e/${place.slug}`);
    expect(browser.text).toContain("This event is over");
    expect(browser.has("link", "Report something that happened")).toBe(true);
  });

  test("tells a visitor without an invite the requirements and the contact before creating an account", async () => {
    const place = await openEvent(
      { emergencyContact: "Lakeside security: 555 0101", whoCanReport: "invite", withoutAccount: false },
      { contactEmail: "care@lakeside.example.org" },
    );
    const browser = visit();
    await browser.open(`/e/${place.slug}`);
    expect(browser.text).toContain("you need an invite from this event");
    expect(browser.html.includes('href="mailto:care@lakeside.example.org"')).toBe(true);
    await browser.follow("Report something that happened");
    expect(browser.path).toMatch(/^\/login/);
    for (const title of ["Sign in", "Create an account"]) {
      expect(browser.heading).toBe(title);
      expect(browser.text).toContain(`To report at ${place.name}, you need an invite`);
      expect(browser.text).toContain("Lakeside security: 555 0101");
      expect(browser.html.includes('href="mailto:care@lakeside.example.org"')).toBe(true);
      await browser.open(`/register?next=${encodeURIComponent(`/e/${place.slug}/report`)}`);
    }
    await browser.open("/login?next=%2Fe%2Fno-such-event%2Freport");
    expect(browser.text).not.toContain("you need an invite from the event");
  });

  test("lets somebody who wants the event in their account join it with one press", async () => {
    const place = await openEvent({ withoutAccount: false });
    const person = await world.person("Early Bird");
    const browser = visit(person);
    await browser.open(`/e/${place.slug}`);
    await browser.press("Join this event");
    expect(browser.text).toContain("You’re a member of this event.");
    expect(browser.has("button", "Join this event")).toBe(false);
    expect(await heed.rows("event_roles", "event_id = $1 and user_id = $2", [place.id, person.id])).toBe(1);
  });
});

describe("short names for links, which are made from names", () => {
  test("one that is taken is refused at its field", async () => {
    const label = "Short name for links";
    const browser = visit(sam);
    await browser.open("/orgs/new");
    const ofOrganization = "Organization’s short name for links";
    await browser
      .fill("Event name", "A second one")
      .fill(ofOrganization, organization.slug)
      .press("Open for reports");
    expect(browser.describe(ofOrganization)).toContain(
      "An organization already uses it; choose a different one.",
    );
    expect(browser.valueOf("Event name")).toBe("A second one");

    const ofOlga = visit(olga);
    const ofEvent = "Event’s short name for links";
    await ofOlga.open(`/orgs/${organization.slug}/events/new`);
    await ofOlga.fill("Event name", "A second one").fill(ofEvent, event.slug).press("Open for reports");
    expect(ofOlga.describe(ofEvent)).toContain("An event already uses it");

    const ofAda = visit(ada);
    await ofAda.open(`/e/${event.slug}/settings`);
    await ofAda.form("Event").fill(label, world.otherEvent.slug).press("Save");
    expect(ofAda.describe(label)).toContain("An event already uses it");
  });
});

describe("an invite", () => {
  const invite = async (wanted: object) => {
    const { body } = await world.as(ada).post(`/api/events/slug/${event.slug}/invites`, wanted);
    return body.invite as { code: string };
  };

  test("is accepted after signing in, and is found accepted afterwards", async () => {
    const { code } = await invite({ role: "Responder" });
    const person = await world.person("Nia Newcomer");
    const browser = visit();
    await browser.open(`/invite/${code}`);
    expect(browser.heading).toBe(`You’re invited to ${event.name}`);
    await browser.part("main", "invited").follow("Sign in");
    await signIn(browser, person.email);
    expect(browser.path).toBe(`/invite/${code}`);
    await browser.press(`Join ${event.name}`);
    expect(browser.path).toBe(`/e/${event.slug}/incidents`);
    await browser.open(`/invite/${code}`);
    expect(browser.text).toContain("You’ve already accepted this invite");
    const other = await invite({ role: "Reporter" });
    await browser.open(`/invite/${other.code}`);
    expect(browser.text).toContain(`You already belong to ${event.name}`);
    expect(browser.has("button", /^Join/)).toBe(false);
    await world.revoke(person, event);
  });

  test("that can't be used says why, and where people can still report", async () => {
    const { code: expired } = await invite({ role: "Reporter" });
    await heed.sql("update invites set expires_at = now() - interval '1 second' where code = $1", [expired]);
    const { code: usedUp } = await invite({ role: "Reporter", maxUses: 1 });
    const first = await world.person("First Come");
    await world.as(first).post(`/api/invites/${usedUp}/redeem`);
    await world.revoke(first, event);
    const browser = visit();
    for (const [code, said] of [
      [expired, "This invite has expired"],
      [usedUp, "This invite can no longer be used"],
    ] as const) {
      await browser.open(`/invite/${code}`);
      expect(browser.heading).toBe(said);
      expect(browser.title.startsWith(said)).toBe(true);
    }
    expect(browser.has("button", "Create account and accept")).toBe(false);
    await browser.follow(`Go to the page of ${event.name}`);
    expect(browser.path).toBe(`/e/${event.slug}`);
  });
});
