import { expect, it } from "vitest";
import { renderIconStyleSheet } from "./desk-shapes.ts";

it("are drawn in the style sheet of the desk as they stand here", async () => {
  await expect(renderIconStyleSheet()).toMatchFileSnapshot("./desk-icons.module.css");
});
