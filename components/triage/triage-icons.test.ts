import { expect, it } from "vitest";
import { renderIconStyleSheet } from "./triage-icons.ts";

it("are drawn in the style sheet of the desk as they stand here", async () => {
  await expect(renderIconStyleSheet()).toMatchFileSnapshot("./triage-icons.module.css");
});
