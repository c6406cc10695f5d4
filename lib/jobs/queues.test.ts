import { expect, test } from "vitest";
import { priorityOf, URGENT_PRIORITY } from "./queues.ts";

test.each(["mail.reset", "mail.verification", "mail.emailChange", "mail.invitation", "mail.notice"])(
  "%s goes before urgent notices, and those before others",
  (task) => {
    expect(priorityOf(task)).toBeLessThan(URGENT_PRIORITY);
    expect(URGENT_PRIORITY).toBeLessThan(priorityOf("mail.notification"));
  },
);
