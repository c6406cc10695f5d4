import { createPhoto } from "#e2e/support/evidence.ts";
import { NEW_DECISION } from "#e2e/api/conversation-rows.ts";
import {
  expect,
  expectNoSidewaysScroll,
  expectUsable,
  PHONE,
  test,
  waitForHydration,
} from "./support/test.ts";

/** The team writes with a reported person, who has seven words and no account. */

test.use({ viewport: PHONE });

for (const javaScriptEnabled of [true, false])
  test.describe(javaScriptEnabled ? "with script" : "without script", () => {
    test.use({ javaScriptEnabled });

    test("a reported person reads a decision, confirms it, appeals, and adds a file", async ({
      page,
      signIn,
      world,
    }) => {
      test.slow();
      const report = await world.report(world.maya, world.event);
      await signIn(world.omar);
      await page.goto(`/e/${world.event.slug}/i/${report.id}`);
      await page.getByRole("link", { name: "Reported people and witnesses" }).click();
      await expect(
        page.getByRole("heading", { level: 1, name: "Reported people and witnesses" }),
      ).toBeVisible();
      await page.getByLabel("Name for the team").fill("The man at the bar");
      await page.getByRole("button", { name: "Open a conversation" }).click();
      await expect(page.getByText("Hand these words over now")).toBeVisible();
      const code = await page.getByLabel("Words", { exact: true }).inputValue();
      await expect(page.getByRole("list", { name: "Words in order" }).getByRole("listitem")).toHaveText(
        code.split(" ").map((word, at) => `${at + 1}${word}`),
      );
      await page.goto(`/e/${world.event.slug}/i/${report.id}/conversations`);
      expect(await page.content()).not.toContain(code);
      if (javaScriptEnabled) await expectUsable(page);
      await expectNoSidewaysScroll(page);
      await page.getByText("Send a decision", { exact: true }).click();
      await page.getByLabel("What was reported").fill(NEW_DECISION.reported);
      await page.getByLabel("Finding").fill(NEW_DECISION.finding);
      await page.getByLabel("Action taken", { exact: true }).fill(NEW_DECISION.measure);
      await page.getByLabel("In effect until").fill(NEW_DECISION.measureEndsOn);
      await page.getByRole("button", { name: "Send decision" }).click();
      await expect(page.getByRole("form", { name: "Send a decision" }).getByRole("alert")).toBeVisible();
      await expect(page.getByLabel("Finding")).toHaveValue(NEW_DECISION.finding);
      await page.getByLabel("How to appeal").fill(NEW_DECISION.appeal);
      await page.getByRole("button", { name: "Send decision" }).click();
      await expect(page.getByText("Not confirmed as read")).toBeVisible();

      await page.context().clearCookies();
      await page.goto("/mailbox");
      if (javaScriptEnabled) await expectUsable(page);
      await page.getByLabel("Your seven words").fill("two words");
      await page.getByRole("button", { name: "Open", exact: true }).click();
      await expect(page.getByText("What you entered must be 7 words").first()).toBeVisible();
      await page.getByLabel("Your seven words").fill(code.split(" ").toReversed().join(" "));
      await page.getByRole("button", { name: "Open", exact: true }).click();
      await expect(page.getByRole("alert").filter({ hasText: "These words open nothing." })).toBeVisible();
      if (javaScriptEnabled) await expectUsable(page);
      await expectNoSidewaysScroll(page);
      await page.getByLabel("Your seven words").fill(code);
      await page.getByRole("button", { name: "Open", exact: true }).click();
      await expect(
        page.getByRole("heading", { level: 1, name: "You and the response team", exact: true }),
      ).toBeVisible();
      await expect(page.getByText("Ends on 31 May 2030").first()).toBeVisible();
      expect(await page.content()).not.toContain("The man at the bar");
      if (javaScriptEnabled) await expectUsable(page);
      await expectNoSidewaysScroll(page);
      await page.getByRole("button", { name: "I have read this" }).click();
      await expect(page.getByText(/You confirmed on .* that you read this/)).toBeVisible();
      await page.getByLabel("Message to the response team").fill("I see this differently.");
      await page.getByLabel("This is an appeal against the decision").check();
      await page.getByRole("button", { name: "Send", exact: true }).click();
      await expect(page.getByText("Your appeal")).toBeVisible();
      await page.getByLabel("Message to the response team").fill("One more thing.");
      await page.getByRole("button", { name: "Send", exact: true }).click();
      await expect(page.getByText("One more thing.")).toBeVisible();
      const photo = { name: "home.jpg", mimeType: "image/jpeg", buffer: await createPhoto() };
      await page.getByLabel("Add files").setInputFiles(photo);
      await page.getByRole("button", { name: "Send files" }).click();
      await expect(page.getByRole("link", { name: /\.jpg/ })).toBeVisible();
      if (javaScriptEnabled) await waitForHydration(page);
      await page.getByRole("button", { name: "Lock on this device" }).click();
      await expect(
        page.getByText("This is no longer open on this device. Your seven words open it again."),
      ).toBeVisible();

      // The team sees the day of what the holder did, and no time.
      await signIn(world.omar);
      await page.goto(`/e/${world.event.slug}/i/${report.id}`);
      await expect(
        page.getByText(/^Appeal from a reported person or a witness · \d{1,2} \w{3} \d{4}$/),
      ).toBeVisible();
    });
  });
