import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { type Browser, chromium, type BrowserContext, type Page } from "@playwright/test";
import sharp from "sharp";
import { spawnProjectCommand } from "#e2e/support/command.ts";
import { findFreePort, startProcess } from "#e2e/support/process.ts";
import { parseArgumentsOrExit } from "#lib/command-arguments.ts";
import { BROWSER_SWITCHES, findOrInstallBrowser } from "#lib/scripts/browser.ts";
import { buildIfOutdated, PROJECT_ROOT } from "#lib/build/prepare.ts";
import { type Places, type Screen, SCREENS } from "./pages.ts";

/**
 * `npm run screens`: takes a screenshot of every page, on a laptop and on a phone, into test-results/screens, and copies
 * those that README.md shows to docs/screens. `npm run screens:landing`: takes the screenshots of the landing page, light
 * and dark, into public/screens.
 */

const USAGE = `npm run screens [-- --only NAME]
Takes a picture of every page, on a laptop and on a phone, into test-results/screens; README's go to docs/screens, too.
  --only NAME  of that page alone; may be given several times
  --landing    the two pictures of the landing page instead, light and dark, into public/screens`;
const { only, landing } = parseArgumentsOrExit(
  {
    only: { type: "string", multiple: true, default: [] },
    landing: { type: "boolean", default: false },
  },
  USAGE,
);

const FOLDER = path.join(PROJECT_ROOT, "test-results/screens");
/** Pictures that README.md shows. */
const IN_README: readonly string[] =
  fs.readFileSync(path.join(PROJECT_ROOT, "README.md"), "utf8").match(/docs\/screens\/\S+?\.png/g) ?? [];
const SIZES = { laptop: { width: 1280, height: 900 }, phone: { width: 360, height: 740 } } as const;
/** Maximum height of a screenshot in pixels; longer pages are cut. */
const LONGEST = { laptop: 2200, phone: 2200 } as const;
const EVENT = "/e/northlight-summit";
/** Maximum size in bytes and maximum width in pixels of a picture on the landing page. */
const HEAVIEST = 60_000;
const WIDEST = 1280;

const log = (line: string) => console.log(line);
const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), "heed-screens-"));
const port = await findFreePort();
// The addresses in the screenshots are those of a service with default settings.
const settings = { HEED_DATA_DIR: dataDir, PORT: String(port) };
await buildIfOutdated(log);
const password = await fillWithDemo();
const service = await startProcess(settings);
const browser = await chromium.launch({
  executablePath: await findOrInstallBrowser(log),
  args: BROWSER_SWITCHES,
});
try {
  if (landing) await takeForLanding(browser);
  else await takeAll(browser);
} finally {
  await browser.close();
  await service.stop();
  fs.rmSync(dataDir, { recursive: true, force: true });
}

/** @returns the generated password of the demo accounts */
async function fillWithDemo(): Promise<string> {
  const { code, output } = await spawnProjectCommand("demo", [], settings);
  const made = /The password of all of them: (\S+)/.exec(output)?.[1];
  if (code !== 0 || !made) throw new Error(`The demo could not be filled in:\n${output}`);
  return made;
}

async function takeAll(browser: Browser): Promise<void> {
  const people = new Map<string, BrowserContext>();
  const contextOf = async (who: Screen["as"]) => {
    const present = people.get(who ?? "");
    if (present) return present;
    const made = await browser.newContext({
      baseURL: `http://localhost:${service.port}`,
      reducedMotion: "reduce",
    });
    if (who) await signIn(made, who);
    people.set(who ?? "", made);
    return made;
  };
  const places = await findPlaces(contextOf);
  fs.mkdirSync(FOLDER, { recursive: true });
  for (const screen of SCREENS.filter(({ name }) => only.length === 0 || only.includes(name))) {
    const where = typeof screen.path === "string" ? screen.path : screen.path(places);
    for (const size of ["laptop", "phone"] as const)
      await take({ screen, where, size }, await contextOf(screen.as));
    log(`${screen.name}: ${where}`);
  }
}

async function takeForLanding(browser: Browser): Promise<void> {
  const folder = path.join(PROJECT_ROOT, "public/screens");
  fs.mkdirSync(folder, { recursive: true });
  for (const colorScheme of ["light", "dark"] as const) {
    const form = await open(browser, { who: "maya", size: SIZES.phone, colorScheme, touch: true });
    await form.goto(`${EVENT}/report`);
    await form.getByRole("button", { name: "Start" }).click();
    await form
      .getByLabel("In your own words")
      .fill("Someone shouted at the volunteer at the desk and would not stop when asked.");
    await form.getByLabel("In your own words").blur();
    await keep(form, path.join(folder, `report-${colorScheme}.webp`));
    const list = await open(browser, { who: "omar", size: { width: 1280, height: 800 }, colorScheme });
    await list.goto("/inbox");
    await keep(list, path.join(folder, `inbox-${colorScheme}.webp`));
  }
}

type Visit = {
  who: string;
  size: { width: number; height: number };
  colorScheme: "light" | "dark";
  touch?: true;
};

async function open(browser: Browser, { who, size, colorScheme, touch }: Visit): Promise<Page> {
  const context = await browser.newContext({
    baseURL: `http://localhost:${service.port}`,
    reducedMotion: "reduce",
    viewport: size,
    hasTouch: touch,
    isMobile: touch,
    colorScheme,
    deviceScaleFactor: 2,
  });
  await signIn(context, who);
  return context.newPage();
}

/** Saves the screenshot in the best quality below the size limit. */
async function keep(page: Page, file: string): Promise<void> {
  await page.locator("h1").first().waitFor();
  await page.waitForTimeout(400);
  const shot = await page.screenshot();
  for (const quality of [80, 70, 60, 50, 40, 30]) {
    const picture = await sharp(shot)
      .resize({ width: WIDEST, withoutEnlargement: true })
      .webp({ quality, effort: 6 })
      .toBuffer();
    if (picture.length > HEAVIEST && quality > 30) continue;
    fs.writeFileSync(file, picture);
    log(`${path.relative(PROJECT_ROOT, file)}: ${picture.length} bytes at quality ${quality}`);
    break;
  }
  await page.context().close();
}

async function signIn(context: BrowserContext, who: string): Promise<void> {
  const reply = await context.request.post("/api/auth/login", {
    data: { email: `${who}@example.org`, password },
  });
  if (!reply.ok()) throw new Error(`${who} can't sign in: ${reply.status()}`);
}

type ContextOf = (who: Screen["as"]) => Promise<BrowserContext>;

/** Finds addresses that depend on ids: of a report with much content, and of an Admin's records. */
async function findPlaces(contextOf: ContextOf): Promise<Places> {
  const get = async (who: Screen["as"], where: string) =>
    (await (await contextOf(who)).request.get(where)).json();
  const { incidents } = await get("ada", "/api/events/slug/northlight-summit/incidents?limit=100");
  const rich = incidents.find(
    (one: { relatedFiles: unknown[]; state: string }) =>
      one.relatedFiles.length > 0 && one.state === "investigating",
  );
  const mine = (await get("maya", "/api/users/me/incidents?limit=100")).incidents;
  const own = mine.find(({ state }: { state: string }) => state === "investigating") ?? mine[0];
  const { user } = await get("omar", "/api/auth/session");
  const made = await (
    await contextOf("ada")
  ).request.post("/api/events/slug/northlight-summit/invites", {
    data: { role: "Reporter", maxUses: 400, note: "For the badges" },
  });
  const { invite } = await made.json();
  const taken = await (
    await contextOf("omar")
  ).request.post("/api/events/slug/northlight-summit/intakes", {
    data: {
      title: "Followed from the bar to the tram",
      description: "He followed me from the bar to the tram and would not stop talking.",
      channel: "phone",
    },
  });
  const { incident: intake } = await taken.json();
  const { organizations } = await get("olga", "/api/organizations/me");
  const organizationId = organizations[0].organization?.id ?? organizations[0].id;
  const webhook = await (
    await contextOf("olga")
  ).request.post(`/api/organizations/${organizationId}/webhooks`, {
    data: { url: "https://hooks.example.org/heed", kinds: ["incident.created"], description: "To the chat" },
  });
  const webhookId = (await webhook.json()).webhook.id;
  const pathOf = (one: { id: string; event: { slug: string } }) => `/e/${one.event.slug}/i/${one.id}`;
  return {
    incident: pathOf(rich ?? incidents[0]),
    ownIncident: pathOf(own),
    intake: `/e/${intake.event.slug}/take/${intake.id}`,
    userId: user.id,
    inviteCode: invite.code,
    inviteId: invite.id,
    webhookId,
  };
}

type Shot = { screen: Screen; where: string; size: keyof typeof SIZES };

async function take({ screen, where, size }: Shot, context: BrowserContext): Promise<void> {
  const page = await context.newPage();
  await page.setViewportSize(SIZES[size]);
  // A page with a live stream is never idle, so this waits for its content.
  await page.goto(where, { waitUntil: "load" });
  await page.locator("h1").first().waitFor();
  await page.waitForTimeout(400);
  const whole = sharp(await page.screenshot({ fullPage: true }));
  const { width = 0, height = 0 } = await whole.metadata();
  const file = `${screen.name}-${size}.png`;
  await whole
    .extract({ left: 0, top: 0, width, height: Math.min(height, LONGEST[size]) })
    .png({ palette: true, colours: 128, compressionLevel: 9, effort: 10 })
    .toFile(path.join(FOLDER, file));
  const shown = `docs/screens/${file}`;
  if (IN_README.includes(shown)) fs.copyFileSync(path.join(FOLDER, file), path.join(PROJECT_ROOT, shown));
  await page.close();
}
