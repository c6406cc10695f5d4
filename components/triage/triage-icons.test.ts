import { expect, it } from "vitest";
import { renderIconStyleSheet } from "./triage-icons.ts";

it("renders the style sheet of the triage icons from this list", async () => {
  await expect(renderIconStyleSheet()).toMatchFileSnapshot("./triage-icons.module.css");
});
