import type { Browser } from "@playwright/test";
import {
  LIGHTHOUSE_CPU_SLOWDOWN,
  LIGHTHOUSE_PHONE,
  measurePageLoad,
  type PageLoad,
} from "#e2e/support/page-load.ts";
import { addCookie, computeMedian, withBrowser } from "./browser.ts";
import type { BenchContext, Cookies } from "./rows.ts";

/**
 * First visits under the throttling of Lighthouse's mobile profile: a slow 4G network and a processor four times
 * slower. Lighthouse itself is no package of this project; its score is a function of such figures, and of blocking
 * time, which isn't measured here.
 */

export type PageLoadResult = Omit<PageLoad, "moved"> & { title: string };

/** Maximum sum of layout shifts. */
export const MAX_SHIFT = 0.02;
/** Median of so many visits, each in a browser context of its own. */
const VISITS = 3;

type PageOfPerson = { title: string; path: string; person: keyof Cookies | null };

function listPages({ world }: BenchContext): PageOfPerson[] {
  const [event] = world.events;
  const incident = world.incidents.find(({ eventId }) => eventId === event?.id);
  const form = `/e/${event?.slug}/report`;
  return [
    { title: "landing", path: "/", person: null },
    { title: "event", path: `/e/${event?.slug}`, person: null },
    { title: "sign-in", path: `/login?next=${encodeURIComponent(form)}`, person: null },
    { title: "report", path: form, person: "reporter" },
    { title: "inbox", path: "/inbox", person: "team" },
    { title: "incident", path: `/e/${event?.slug}/i/${incident?.id}`, person: "team" },
  ];
}

export function measurePageLoads(url: string, known: BenchContext): Promise<PageLoadResult[]> {
  return withBrowser(async (browser) => {
    const results: PageLoadResult[] = [];
    for (const { title, path, person } of listPages(known)) {
      const cookie = person && known.cookies[person];
      const loads: PageLoad[] = [];
      for (let count = 0; count < VISITS; count += 1) loads.push(await visit(browser, { url, path, cookie }));
      results.push({ title, ...computeMedians(loads) });
    }
    return results;
  });
}

type Visit = { url: string; path: string; cookie: string | null };

async function visit(browser: Browser, { url, path, cookie }: Visit): Promise<PageLoad> {
  const context = await browser.newContext({ viewport: LIGHTHOUSE_PHONE });
  if (cookie) await addCookie(context, url, cookie);
  const load = await measurePageLoad(await context.newPage(), url + path, {
    cpuSlowdown: LIGHTHOUSE_CPU_SLOWDOWN,
  });
  await context.close();
  return load;
}

/** The worst shift of the visits; medians of the rest. */
const computeMedians = (loads: readonly PageLoad[]): Omit<PageLoadResult, "title"> => ({
  shift: Math.max(...loads.map(({ shift }) => shift)),
  firstPaintMs: computeMedian(loads.map(({ firstPaintMs }) => firstPaintMs)),
  largestPaintMs: computeMedian(loads.map(({ largestPaintMs }) => largestPaintMs)),
  bytes: computeMedian(loads.map(({ bytes }) => bytes)),
});
