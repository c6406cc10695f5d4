import { expect, it } from "vitest";
import { styleSheet } from "./desk-shapes.ts";

it("are drawn in the style sheet of the desk as they stand here", async () => {
  await expect(styleSheet()).toMatchFileSnapshot("./desk-icons.module.css");
});
