import type { Browser, Locator, Page } from "@playwright/test";
import { createPhoto } from "#e2e/support/evidence.ts";
import type { EventRef, TestPerson, TestWorld } from "#e2e/support/world.ts";
import { expect, test, waitForScript } from "./support/test.ts";

/**
 * What two manuals order from the report up to the decision (docs/manuals.md), inside Heed: each step has its name in
 * the manual, and is done on a page by whoever the manual says.
 */

type Team = {
  event: EventRef;
  /** Whoever reads first, and leads. */
  lead: TestPerson;
  second: TestPerson;
  /** A friend of the reported person. */
  friend: TestPerson;
  reporter: TestPerson;
};

/** An event of its own, where whoever is on the team says whether they have a conflict before they read. */
async function formTeam(world: TestWorld, name: string): Promise<Team> {
  const organization = await world.newOrganization(`${name} organizers`);
  await world.service.sql("update organizations set conflict_check = true where id = $1", [organization.id]);
  const event = await world.newEvent(organization, name);
  const join = (person: string, role: "Admin" | "Responder" | "Reporter") =>
    world.person(person, { events: [[event, role]] });
  const lead = await join("Lena Vogt", "Admin");
  await world.as(lead).patch(`/api/events/${event.id}/report-settings`, { emergencyNumber: "112" });
  return {
    event,
    lead,
    second: await join("Samir Aziz", "Responder"),
    friend: await join("Frank Olsen", "Responder"),
    reporter: await join("Rosa Lind", "Reporter"),
  };
}

const STEPS = ["When, where and who", "Photos and files", "Your name and contact", "Check and send"];

/** Sends a report on Kim Berg in the form's five steps, with a photo. */
async function sendReport(page: Page, { event }: Team, story: string): Promise<void> {
  await page.goto(`/e/${event.slug}/report`);
  await page.getByRole("button", { name: "Start" }).click();
  await page.getByLabel("In your own words").fill(story);
  for (const step of STEPS) {
    await page.getByRole("button", { name: "Continue" }).click();
    await expect(page.getByRole("heading", { level: 2, name: step })).toBeFocused();
    if (step === "When, where and who") {
      await page.getByLabel("Where it happened").fill("By the coffee bar");
      await page.getByLabel("Name of the person this is about").fill("Kim Berg");
    }
    if (step === "Photos and files")
      await page
        .getByLabel("Photos, recordings, documents")
        .setInputFiles({ name: "chat.jpg", mimeType: "image/jpeg", buffer: await createPhoto() });
  }
  await page.getByRole("button", { name: "Send report" }).click();
  await expect(page).toHaveURL(/\/report\/sent\?id=/);
}

const INBOX = "/inbox";

/** Opens the report that waits for an answer, and gives one. */
async function answerConflictCheck(page: Page, answer: string): Promise<void> {
  await page.goto(INBOX);
  await page
    .locator("section")
    .filter({ hasText: "waits for your answer" })
    .getByRole("link")
    .first()
    .click();
  await expect(page.getByRole("heading", { level: 1, name: "Before you open this incident" })).toBeVisible();
  await expect(page.getByText("Kim Berg")).toBeVisible();
  await page.getByRole("button", { name: answer }).click();
}

async function write(form: Locator, text: string, send: string): Promise<void> {
  await form.getByRole("textbox").fill(text);
  await form.getByRole("button", { name: send }).click();
  await expect(form.getByRole("textbox")).toHaveValue("");
}
const tellReporter = (page: Page, text: string) =>
  write(page.getByRole("form", { name: "Message to reporter" }), text, "Send to reporter");
const takeNote = (page: Page, text: string) =>
  write(page.getByRole("form", { name: "Team note" }), text, "Save note");
const tellTeam = (page: Page, text: string) =>
  write(page.getByRole("form", { name: "Message to the team" }), text, "Send to the team");

/** Takes the case, and acknowledges it. */
async function acknowledge(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Assign to me" }).click();
  await expect(page.getByText(/^Assigned to .+\.$/)).toBeVisible();
  await page.getByRole("button", { name: "Acknowledge", exact: true }).click();
  await expect(page.getByText("Status changed to Acknowledged.")).toBeVisible();
}

/** Opens a conversation with the reported person, who writes back with its seven words on a device of their own. */
async function hearReportedPerson(
  { page, browser }: { page: Page; browser: Browser },
  [question, reply]: [string, string],
): Promise<void> {
  const incident = page.url();
  await page.goto(`${new URL(incident).pathname}/conversations`);
  const creating = page.getByRole("form", { name: "Open a conversation" });
  await creating.getByLabel("Name for the team").fill("Kim Berg");
  await creating.getByRole("button", { name: "Open a conversation" }).click();
  const words = await page.getByLabel("Words", { exact: true }).inputValue();
  await page.getByText("Write a message", { exact: true }).click();
  await page.getByRole("form", { name: "Write a message" }).getByLabel("Message").fill(question);
  await page.getByRole("button", { name: "Send message" }).click();
  await expect(page.getByText(question)).toBeVisible();

  const context = await browser.newContext({ baseURL: new URL(incident).origin, locale: "en-GB" });
  const own = await context.newPage();
  waitForScript(own);
  await own.goto("/mailbox");
  await own.getByLabel("Your seven words").fill(words);
  await own.getByRole("button", { name: "Open" }).click();
  await expect(own.getByText(question)).toBeVisible();
  await own.getByLabel("Message to the response team").fill(reply);
  await own.getByRole("button", { name: "Send", exact: true }).click();
  await expect(own.getByText("Your message was sent.")).toBeVisible();
  await context.close();

  await page.reload();
  await expect(page.getByText(reply)).toBeVisible();
  await page.goto(incident);
}

test("Django: from the report to what the chair proposes", async ({ page, browser, signIn, world }) => {
  const team = await formTeam(world, "Django Days");
  const { lead, second, friend, reporter } = team;
  let incident = "";

  await test.step("Identify the contacts, and how to report", async () => {
    await page.goto(`/e/${team.event.slug}`);
    await expect(page.getByRole("link", { name: /^Call .?112/ }).first()).toBeVisible();
  });
  await test.step("Receive the report", async () => {
    await signIn(reporter);
    await sendReport(page, team, "Kim followed me from the bar to the stairs.");
  });
  await test.step("Disclose conflicts of interest", async () => {
    await signIn(friend);
    await answerConflictCheck(page, "Conflict: don’t show me");
    await page.waitForURL(INBOX);
    await expect(page.getByText("Kim Berg")).toHaveCount(0);
    await signIn(lead);
    await answerConflictCheck(page, "No conflict");
    await expect(page.getByText("Kim followed me")).toBeVisible();
    incident = new URL(page.url()).pathname;
  });
  await test.step("Acknowledge the report", async () => {
    await acknowledge(page);
    await tellReporter(page, "Thank you for reporting this. We’ll discuss it and get back to you.");
  });
  await test.step("Contact the reporter", async () => {
    await tellReporter(page, "I’m your contact from now on. Did anybody else see it?");
    await signIn(reporter);
    await page.goto(incident);
    await expect(page.getByText("I’m your contact from now on.")).toBeVisible();
    await tellTeam(page, "Yes, two people at the bar.");
  });
  await test.step("Collect what happened, and who is responsible, in writing", async () => {
    await signIn(lead);
    await page.goto(incident);
    await expect(page.getByText("Yes, two people at the bar.")).toBeVisible();
    await takeNote(page, "Ongoing: no. Threat to safety: no.");
    const severity = page.getByRole("form", { name: "Severity" });
    await severity.getByRole("button", { name: "High", exact: true }).click();
    await expect(page.getByText("Severity: High.")).toBeVisible();
  });
  await test.step("Contact additional persons involved", async () => {
    await hearReportedPerson({ page, browser }, [
      "How do you remember the evening?",
      "I only wanted to talk.",
    ]);
  });
  await test.step("Evaluate jurisdiction, impact and risk", async () => {
    await takeNote(page, "In scope, in private, might be repeated.");
  });
  await test.step("Propose the actions, to which two members agree", async () => {
    await takeNote(page, "I propose a warning, and no evening events.");
    await signIn(second);
    await answerConflictCheck(page, "No conflict");
    await expect(page.getByText("I propose a warning, and no evening events.")).toBeVisible();
    await takeNote(page, "I agree.");
  });
  await test.step("Keep the record", async () => {
    await page.getByText("More", { exact: true }).click();
    await page.getByRole("link", { name: "Download case" }).click();
    await page.getByLabel("Team notes").check();
    await page.getByLabel("Why do you need it?").fill("For the meeting on Monday.");
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download PDF" }).click();
    expect((await download).suggestedFilename()).toMatch(/^heed-[a-z]+-[a-z]+\.pdf$/);
    await page.goto(incident);
    await expect(page.getByText("Downloaded the case: For the meeting on Monday.")).toBeVisible();
  });
});

test("The Carpentries: from the report to the resolution that the reporter is asked about", async ({
  page,
  browser,
  signIn,
  world,
}) => {
  const team = await formTeam(world, "Carpentry Workshop");
  const { lead, second, friend, reporter } = team;
  let incident = "";

  await test.step("Contact the emergency response number, if anybody is in danger", async () => {
    await signIn(reporter);
    await page.goto(`/e/${team.event.slug}/report`);
    await expect(page.getByRole("link", { name: /^Call .?112/ }).first()).toHaveAttribute("href", "tel:112");
  });
  await test.step("Report the incident by the form, with screenshots", async () => {
    await sendReport(page, team, "Kim sent me this in the middle of the lesson.");
  });
  await test.step("Acknowledge that the report was received", async () => {
    await expect(page.getByText("Your report has arrived").first()).toBeVisible();
  });
  await test.step("Review for conflicts of interest", async () => {
    await signIn(friend);
    await answerConflictCheck(page, "Conflict: don’t show me");
    await page.waitForURL(INBOX);
  });
  await test.step("Review the report, and respond within 24 hours with a timeline", async () => {
    await signIn(lead);
    await answerConflictCheck(page, "No conflict");
    await expect(page.getByText("in the middle of the lesson")).toBeVisible();
    await expect(page.getByRole("link", { name: "chat.jpg", exact: true })).toBeVisible();
    incident = new URL(page.url()).pathname;
    await acknowledge(page);
    await tellReporter(page, "We meet on Thursday, and write to you on Friday.");
  });
  await test.step("Form the incident response group, and appoint its lead", async () => {
    await takeNote(page, "Group: Lena leads, Samir, and one from the committee.");
    await signIn(second);
    await answerConflictCheck(page, "No conflict");
    await expect(page.getByText("Group: Lena leads")).toBeVisible();
    await takeNote(page, "It was in a Carpentries space, so it is ours.");
  });
  await test.step("Request more information from the reporter", async () => {
    await tellReporter(page, "Was it the first message?");
    await signIn(reporter);
    await page.goto(incident);
    await expect(page.getByText("Was it the first message?")).toBeVisible();
    await tellTeam(page, "No, the third.");
  });
  await test.step("Contact the reportee, who states their view", async () => {
    await signIn(lead);
    await page.goto(incident);
    await hearReportedPerson({ page, browser }, ["What did you write, and why?", "It was meant as a joke."]);
  });
  await test.step("Determine a resolution", async () => {
    await takeNote(page, "Both of us: a private reprimand by email.");
  });
  await test.step("Explain the proposed resolution to the reporter, and note the feedback", async () => {
    await tellReporter(page, "We’d like to write a private reprimand. Is that acceptable to you?");
    await signIn(reporter);
    await page.goto(incident);
    await tellTeam(page, "Yes, if I don’t have to meet them.");
    await signIn(lead);
    await page.goto(incident);
    await expect(page.getByText("Yes, if I don’t have to meet them.")).toBeVisible();
  });
});
