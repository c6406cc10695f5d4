import { expect, test } from "vitest";
import { AdminUserChangeInput, AdminUsersQuery, MailTestInput } from "./schema.ts";

/** What system administration refuses (contract 12). */

test.each([{ disabled: "yes" }, { systemAdmin: "1" }, { sort: "password" }, { order: "up" }])(
  "the list of accounts isn't filtered or sorted by %o",
  (query) => expect(AdminUsersQuery.safeParse(query).success).toBe(false),
);

test.each([{}, { disabled: "true" }, { systemAdmin: null }, { disabled: 1 }, { name: "x" }])(
  "an account isn't changed by %o",
  (change) => expect(AdminUserChangeInput.safeParse(change).success).toBe(false),
);

test.each(["nobody", "a@example.org\r\nBcc: b@example.org", "a@example.org,b@example.org", 5])(
  "a test mail isn't sent to %j",
  (to) => expect(MailTestInput.safeParse({ to }).success).toBe(false),
);
