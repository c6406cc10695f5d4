import type { Page } from "@playwright/test";

/** The layout shifts of a page while it loads over a slow network. */

export type PageLoad = {
  /** Sum of all layout shifts; at least the CLS score, which counts the worst five seconds. */
  shift: number;
  /** The elements that moved, for the failure message. */
  moved: string[];
};

/** The network of Lighthouse's mobile profile ("slow 4G") as it applies it in a browser; bytes a second. */
const SLOW_4G = {
  offline: false,
  latency: 562.5,
  downloadThroughput: (1474.56 * 1024) / 8,
  uploadThroughput: (675 * 1024) / 8,
};

/** The wait after a page's last request, in which script draws its changes. */
const SETTLE_MS = 1000;

declare global {
  interface Window {
    heedPageLoad: PageLoad;
  }
}

/** Measures the first visit to a page, with an empty cache and over a slow network. */
export async function measurePageLoad(page: Page, address: string): Promise<PageLoad> {
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.setCacheDisabled", { cacheDisabled: true });
  await session.send("Network.emulateNetworkConditions", SLOW_4G);
  await page.addInitScript(watchPageLoad);
  await page.goto(address, { waitUntil: "networkidle" });
  await page.waitForTimeout(SETTLE_MS);
  const seen = await page.evaluate(() => window.heedPageLoad);
  await session.detach();
  return seen;
}

/** Runs in the page before anything else. */
function watchPageLoad(): void {
  type Moved = { node?: Node; previousRect: DOMRectReadOnly; currentRect: DOMRectReadOnly };
  type Shift = PerformanceEntry & { value: number; hadRecentInput: boolean; sources?: Moved[] };
  const seen: PageLoad = { shift: 0, moved: [] };
  window.heedPageLoad = seen;
  const formatRectangle = ({ x, y, width, height }: DOMRectReadOnly) =>
    [x, y, width, height].map(Math.round).join(" ");
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, startTime, sources = [] } of list.getEntries() as Shift[]) {
      if (hadRecentInput) continue;
      seen.shift += value;
      for (const { node, previousRect, currentRect } of sources) {
        const element = node instanceof Element ? node : node?.parentElement;
        const tag = element?.cloneNode(false);
        const name = tag instanceof Element ? tag.outerHTML.slice(0, 120) : "(gone)";
        seen.moved.push(
          `${value.toFixed(4)} at ${Math.round(startTime)} ms: ${name} ${formatRectangle(previousRect)} → ${formatRectangle(currentRect)}`,
        );
      }
    }
  }).observe({ type: "layout-shift", buffered: true });
}
