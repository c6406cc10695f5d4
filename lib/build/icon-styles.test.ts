import { expect, test } from "vitest";
import { ICON_NAMES } from "#lib/design/icon-names.ts";
import { renderIconStyles } from "./icon-styles.ts";

test("the style sheet has each icon once, drawn as Lucide draws it", async () => {
  const styles = await renderIconStyles();
  const names = [...styles.matchAll(/^\.i-([\w-]+) /gm)].map(([, name]) => name);
  expect(names).toEqual([...ICON_NAMES, "star-filled"]);
  expect(styles).toContain("<path d='M18 6 6 18'/><path d='m6 6 12 12'/></svg>");
});

test("only the star of something pinned is filled", async () => {
  const filled = (await renderIconStyles())
    .match(/^\.i-.* fill='%23000'/gm)
    ?.map((rule) => rule.split(" ")[0]);
  expect(filled).toEqual([".i-star-filled"]);
});
