import { expect, test } from "vitest";
import { choosePriority, URGENT_PRIORITY } from "./queues.ts";

test.each(["mail.reset", "mail.verification", "mail.emailChange", "mail.invitation", "mail.notice"])(
  "%s goes before urgent notices, and those before others",
  (task) => {
    expect(choosePriority(task)).toBeLessThan(URGENT_PRIORITY);
    expect(URGENT_PRIORITY).toBeLessThan(choosePriority("mail.notification"));
  },
);
