import { expect, test } from "vitest";
import { findPriorityForTask, URGENT_PRIORITY } from "./queues.ts";

test.each(["mail.reset", "mail.verification", "mail.emailChange", "mail.invitation", "mail.notice"])(
  "%s goes before urgent notices, and those before others",
  (task) => {
    expect(findPriorityForTask(task)).toBeLessThan(URGENT_PRIORITY);
    expect(URGENT_PRIORITY).toBeLessThan(findPriorityForTask("mail.notification"));
  },
);
