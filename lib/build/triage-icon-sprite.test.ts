import { expect, test } from "vitest";
import { TRIAGE_ICONS } from "#lib/design/triage-icons.ts";
import { renderTriageIconSprite } from "./triage-icon-sprite.ts";

test("the sprite has each icon of the inbox once, drawn as Lucide draws it", async () => {
  const symbols = (await renderTriageIconSprite()).match(/<symbol .*<\/symbol>/g) ?? [];
  expect(symbols.map((symbol) => /id="([^"]*)"/.exec(symbol)?.[1])).toEqual(Object.keys(TRIAGE_ICONS));
  expect(symbols.find((symbol) => symbol.includes('id="clear"'))).toBe(
    '<symbol id="clear" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.75" stroke-linecap="round" stroke-linejoin="round"><path d="M18 6 6 18"/><path d="m6 6 12 12"/></symbol>',
  );
});

test("only the star of a pinned incident is filled", async () => {
  const filled = (await renderTriageIconSprite()).match(
    /id="[^"]*" viewBox="0 0 24 24" fill="currentColor"/g,
  );
  expect(filled).toEqual(['id="starred" viewBox="0 0 24 24" fill="currentColor"']);
});
