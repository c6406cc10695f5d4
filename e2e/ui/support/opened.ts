import type { BrowserContext, Page } from "@playwright/test";
import { createConversation, NEW_DECISION } from "#e2e/api/conversation-rows.ts";
import type { Client } from "#e2e/support/client.ts";
import type { ReportRecord, TestPerson, TestWorld } from "#e2e/support/world.ts";
import { expect, openLivePage } from "./test.ts";

/** Reports, mailboxes that are open in a browser, without the pages on the way to them. */

type Place = Pick<TestWorld, "service" | "event">;

const REPORT = { title: "Shouted at beside the stairs", description: "It happened an hour ago." };

/** Gives the browser a cookie of a client, such as "mailbox=…". */
async function giveCookie(context: BrowserContext, pair: string | undefined): Promise<void> {
  const [name = "", value = ""] = pair?.split(/=(.*)/s) ?? [];
  await context.addCookies([{ name, value, url: process.env.HEED_UI_URL ?? "" }]);
}

/** Opens the mailbox of a report that is just sent, before its words are saved. @returns the words */
async function showSentReport(context: BrowserContext, sender: Client, path: string, report: object) {
  const { body } = await sender.post(path, { ...report, openMailbox: true }, { opensMailbox: true });
  await giveCookie(context, sender.mailbox);
  return body.receipt as string;
}

/** The same, after they are. */
async function openSentReport(context: BrowserContext, sender: Client, path: string, report: object) {
  const receipt = await showSentReport(context, sender, path, report);
  await sender.post("/api/mailbox/receipt/saved");
  await sender.post("/api/mailbox/receipt/confirmation", { entered: {} });
  await giveCookie(context, sender.mailbox);
  return receipt;
}

const pathOf = ({ event }: Place) => `/api/events/slug/${event.slug}/anonymous-reports`;

export const showReceiptIn = (context: BrowserContext, place: Place, report: object = REPORT) =>
  showSentReport(context, place.service.visitor(), pathOf(place), report);

export const openMailboxIn = (context: BrowserContext, place: Place, report: object = REPORT) =>
  openSentReport(context, place.service.visitor(), pathOf(place), report);

/** Opens a reported person's conversation with a decision. @returns the words */
export async function openOtherMailboxIn(context: BrowserContext, world: TestWorld): Promise<string> {
  const { words, incidentId, conversationId } = await createConversation(world);
  const path = `/api/events/${world.event.id}/incidents/${incidentId}/conversations/${conversationId}/decisions`;
  await world.as(world.omar).post(path, NEW_DECISION);
  const holder = world.service.visitor();
  await holder.post("/api/mailbox/session", { words });
  await giveCookie(context, holder.mailbox);
  return words;
}

/**
 * The HTML of a page as whoever is signed in gets it, without its scripts: for what the service alone decides. What is
 * missing there has to be found with this function for somebody else, since the scripts hold other texts.
 */
export async function readHtml(page: Page, address: string, status = 200): Promise<string> {
  const response = await page.request.get(address);
  expect(response.status()).toBe(status);
  return (await response.text()).replace(/<script[\s\S]*?<\/script>/g, "");
}

type ReportOpening = { page: Page; signIn: (person: TestPerson) => Promise<void>; world: TestWorld };

/**
 * Opens a new report's page as Omar, with its live connection up and its version checked: what others change from now on
 * reaches it, and nothing else leads to a check.
 */
export async function openLiveReport({ page, signIn, world }: ReportOpening): Promise<ReportRecord> {
  const report = await world.report(world.maya, world.event);
  await signIn(world.omar);
  const checked = page
    .waitForResponse(/\/api\/users\/me\/stream/)
    .then(() => page.waitForResponse(/\/inbox\/rows\?/));
  await openLivePage(page, `/e/${world.event.slug}/i/${report.id}`);
  await checked;
  return report;
}
