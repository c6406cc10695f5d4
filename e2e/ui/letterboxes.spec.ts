import { createPhoto } from "#e2e/support/evidence.ts";
import { NEW_DECISION } from "#e2e/api/letterbox-rows.ts";
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
      await page.getByRole("link", { name: "Open letterboxes" }).click();
      await expect(page.getByRole("heading", { level: 1, name: "Letterboxes" })).toBeVisible();
      await page.getByLabel("Name for the team").fill("The man at the bar");
      await page.getByRole("button", { name: "Create letterbox" }).click();
      await expect(page.getByText("Hand these words over now")).toBeVisible();
      const code = await page.getByLabel("Words", { exact: true }).inputValue();
      await expect(page.getByRole("list", { name: "Words in order" }).getByRole("listitem")).toHaveText(
        code.split(" ").map((word, at) => `${at + 1}${word}`),
      );
      await page.goto(`/e/${world.event.slug}/i/${report.id}/letterboxes`);
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
      await page.goto("/letterbox");
      if (javaScriptEnabled) await expectUsable(page);
      await page.getByLabel("Your seven words").fill("two words");
      await page.getByRole("button", { name: "Open", exact: true }).click();
      await expect(page.getByText("What you entered must be 7 words").first()).toBeVisible();
      // On the page of mailboxes, the same words lead here before anything else is advised.
      await page.goto("/mailbox");
      await page.getByLabel("Your seven words").fill(code);
      await page.getByRole("button", { name: "Open", exact: true }).click();
      await expect(
        page.getByRole("alert").filter({ hasText: /^These words don’t open a report\.$/ }),
      ).toBeVisible();
      const note = page.getByRole("status").filter({ hasText: "Check each word" });
      await expect(note).toHaveText(
        /^If the response team gave you seven words .*\. ?Check each word.*ended access/,
      );
      if (javaScriptEnabled) await expectUsable(page);
      await expectNoSidewaysScroll(page);
      await note.getByRole("link", { name: "open your letterbox" }).click();
      await expect(page).toHaveURL(/\/letterbox$/);
      await page.getByLabel("Your seven words").fill(code.split(" ").toReversed().join(" "));
      await page.getByRole("button", { name: "Open", exact: true }).click();
      await expect(note).toHaveText(
        /^If you got your seven words after sending a report.*may have closed the letterbox/,
      );
      await expect(note.getByRole("link", { name: "open your report" })).toBeVisible();
      await page.getByLabel("Your seven words").fill(code);
      await page.getByRole("button", { name: "Open", exact: true }).click();
      await expect(
        page.getByRole("heading", { level: 1, name: "Your letterbox", exact: true }),
      ).toBeVisible();
      await expect(page.getByText("Ends on 31 May 2030").first()).toBeVisible();
      expect(await page.content()).not.toContain("The man at the bar");
      if (javaScriptEnabled) await expectUsable(page);
      await expectNoSidewaysScroll(page);
      await page.getByRole("button", { name: "I have read this letter" }).click();
      await expect(page.getByText(/You confirmed on .* that you read this/)).toBeVisible();
      await page.getByLabel("Your letter").fill("I see this differently.");
      await page.getByLabel("This is an appeal against the decision").check();
      await page.getByRole("button", { name: "Send letter" }).click();
      await expect(page.getByText("Your appeal")).toBeVisible();
      await page.getByLabel("Your letter").fill("One more thing.");
      await page.getByRole("button", { name: "Send letter" }).click();
      await expect(page.getByText("One more thing.")).toBeVisible();
      const photo = { name: "home.jpg", mimeType: "image/jpeg", buffer: await createPhoto() };
      await page.getByLabel("Add files").setInputFiles(photo);
      await page.getByRole("button", { name: "Send files" }).click();
      await expect(page.getByRole("link", { name: /\.jpg/ })).toBeVisible();
      if (javaScriptEnabled) await waitForHydration(page);
      await page.getByRole("button", { name: "Leave letterbox" }).click();
      await expect(page.getByText("You’ve left your letterbox on this device.")).toBeVisible();

      // The team sees the day of what the holder did, and no time.
      await signIn(world.omar);
      await page.goto(`/e/${world.event.slug}/i/${report.id}`);
      await expect(
        page.getByText(/^Appeal received through a letterbox · \d{1,2} \w{3} \d{4}$/),
      ).toBeVisible();
    });
  });
