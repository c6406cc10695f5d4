import type { Page } from "@playwright/test";
import { expectNoSidewaysScroll, expectUsable, LAPTOP, PHONE } from "./test.ts";

/**
 * Expects a usable page on a phone, and no sideways scrolling on a laptop: for a page with one part more than one whose
 * structure other journeys check at both sizes. The page keeps the laptop's size.
 */
export async function expectUsableOnPhone(page: Page): Promise<void> {
  await page.setViewportSize(PHONE);
  await expectUsable(page);
  await page.setViewportSize(LAPTOP);
  await expectNoSidewaysScroll(page);
}
