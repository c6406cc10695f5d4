import type { Page } from "@playwright/test";
import { expect, findStructureViolations, test } from "./support/test.ts";

/** What the journeys' check of targets finds, although axe measures them on few pages. */

async function findSmallTargets(page: Page, main: string): Promise<string[]> {
  await page.setContent(`<!doctype html><html lang="en"><head><title>Targets</title><style>
    button, a { position: absolute; top: 100px; left: 0; width: 44px; height: 44px; padding: 0; border: 0 }
    </style></head><body><main><h1>Targets</h1>${main}</main></body></html>`);
  const violations = await findStructureViolations(page);
  return violations.filter((one) => one.startsWith("target-size"));
}

const TOO_SMALL = {
  "two are small and beside each other": `<button style="width: 20px; height: 20px">A</button><button style="width: 20px; height: 20px; left: 20px">B</button>`,
  "one is low and right above another": `<button style="height: 10px">A</button><button style="top: 110px">B</button>`,
  "one lies over most of another": `<button>A</button><button style="left: 10px; height: 40px">B</button>`,
  "two leave no side of one free": `<button>A</button><button style="left: -30px">B</button><button style="left: 30px">C</button>`,
  "a control inside one takes its room": `<a href="#a">A<button style="top: 0; height: 30px">B</button></a>`,
};

const LARGE_ENOUGH = {
  "they are small and far apart": `<button style="width: 20px">A</button><button style="left: 90px">B</button>`,
  "one leaves a large side of another free": `<button>A</button><button style="left: 24px">B</button>`,
  "they touch": `<button>A</button><button style="left: 44px">B</button>`,
};

test("targets that are too small, or that others cover, are found", async ({ page }) => {
  for (const [where, main] of Object.entries(TOO_SMALL))
    expect.soft(await findSmallTargets(page, main), where).toHaveLength(1);
});

test("targets that are large enough, or far enough from others, are not reported", async ({ page }) => {
  for (const [where, main] of Object.entries(LARGE_ENOUGH))
    expect.soft(await findSmallTargets(page, main), where).toEqual([]);
});
