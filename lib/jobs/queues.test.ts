import { expect, test } from "vitest";
import { priorityForTask, URGENT_PRIORITY } from "./queues.ts";

test.each(["mail.reset", "mail.verification", "mail.emailChange", "mail.invitation", "mail.notice"])(
  "%s goes before urgent notices, and those before others",
  (task) => {
    expect(priorityForTask(task)).toBeLessThan(URGENT_PRIORITY);
    expect(URGENT_PRIORITY).toBeLessThan(priorityForTask("mail.notification"));
  },
);
