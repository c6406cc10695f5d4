import { expect, test } from "vitest";
import { chooseJobPriority, URGENT_NOTIFICATION_JOB_PRIORITY } from "./queues.ts";

test.each([
  "mail.reset",
  "mail.verification",
  "mail.emailChange",
  "mail.invitation",
  "mail.invite",
  "mail.notice",
])("%s goes before urgent notices, and those before others", (task) => {
  expect(chooseJobPriority(task)).toBeLessThan(URGENT_NOTIFICATION_JOB_PRIORITY);
  expect(URGENT_NOTIFICATION_JOB_PRIORITY).toBeLessThan(chooseJobPriority("mail.notification"));
});
