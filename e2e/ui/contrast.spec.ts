import type { Page } from "@playwright/test";
import { findContrastViolations } from "./support/contrast.ts";
import { checkEach, expect, test } from "./support/test.ts";

/** What the journeys' check of contrast finds, although it doesn't measure again what it measured before. */

const SUFFICIENT = "color: #222";
const TOO_LITTLE = "color: #aaa";

const show = (page: Page, main: string, style = "") =>
  page.setContent(`<!doctype html><html lang="en"><head><title>Contrast</title><style>
    body { background: #fff } .card { background: #fff } .dark { background: #333 } .note { ${SUFFICIENT} } ${style}
    </style></head><body><main><h1>Contrast</h1>${main}</main></body></html>`);

const found = async (page: Page) => (await findContrastViolations(page)).join("\n");

test("text with too little contrast is found in each of several runs, beside text that has enough, and in the dark theme alone", async ({
  page,
}) => {
  await show(page, `<p class="note">Enough.</p>`);
  expect(await found(page)).toBe("");
  await show(page, `<p class="note">Enough.</p><p class="pale">Pale.</p>`, `.pale { ${TOO_LITTLE} }`);
  for (let runs = 0; runs < 2; runs += 1) expect(await found(page)).toContain("Pale.");

  await show(
    page,
    `<p class="note">Here.</p>`,
    "@media (prefers-color-scheme: dark) { body { background: #333 } }",
  );
  expect(await found(page)).toBe("");
  await page.emulateMedia({ colorScheme: "dark" });
  expect(await found(page)).toContain("Here.");
});

/** What makes the contrast of text too little: a page, and its styles. */
const CHANGES = new Map<string, [main: string, style: string]>([
  ["its own color changes", [`<p class="note">Here.</p>`, `main .note { ${TOO_LITTLE} }`]],
  ["it lies on another background", [`<div class="dark"><p class="note">Here.</p></div>`, ""]],
  [
    "what it lies on becomes dark",
    [`<div class="card"><p class="note">Here.</p></div>`, ".card { background: #333 }"],
  ],
  ["a part of the page lets the background through", [`<p class="note">Here.</p>`, "main { opacity: 0.4 }"]],
  ["it is smaller", [`<p class="note large">Here.</p>`, ".note { color: #888; font-size: 1rem }"]],
  [
    "it lies over something else",
    [
      `<div class="dark">&nbsp;<p class="note over">Here.</p></div>`,
      ".over { position: absolute; top: 0; left: 0 } .dark { position: absolute; width: 20em; height: 9em }",
    ],
  ],
  [
    "something else lies behind it",
    [
      `<div class="behind"><div class="over"><div class="black"></div></div><p class="note">Here.</p></div>`,
      ".behind { position: relative } .over { position: absolute; inset: 0 } .black { height: 100%; background: #000 } .behind .note { position: relative }",
    ],
  ],
  [
    "what it lies on lets darkness through",
    [
      `<div class="dark"><div class="veil"><p class="note">Here.</p></div></div>`,
      ".veil { background: rgb(255 255 255 / 10%) }",
    ],
  ],
  [
    "it comes after a single letter that looks the same",
    [`<p class="pale">H</p><p class="pale">Here.</p>`, `.pale { ${TOO_LITTLE} }`],
  ],
  [
    "it comes after hidden text that looks the same",
    [`<p class="pale" hidden>Gone.</p><p class="pale">Here.</p>`, `.pale { ${TOO_LITTLE} }`],
  ],
]);

test("text of known classes is found to have too little contrast, whatever makes it so", async ({ page }) => {
  await checkEach([...CHANGES.keys()], async (what) => {
    await show(
      page,
      `<p class="note">Enough.</p><div class="card"><p class="note">Enough.</p></div><p class="note large">Enough.</p>`,
      ".large { color: #888; font-size: 2rem }",
    );
    expect(await found(page)).toBe("");
    await show(page, ...CHANGES.get(what)!);
    expect(await found(page)).toContain("Here.");
  });
});
