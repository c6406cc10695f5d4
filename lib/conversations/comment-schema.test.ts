import { expect, test } from "vitest";
import { NewCommentInput } from "./comment-schema.ts";

/** What may be written about an incident (contract 8.1). */

const ID = "0a0a0a0a-0a0a-4a0a-8a0a-0a0a0a0a0a0a";

test("takes 10,000 characters as people see them", () => {
  const body = "😀".repeat(10_000);
  expect(NewCommentInput.parse({ body: `  ${body} ` })).toEqual({ body });
});

test.each([
  ...["😀".repeat(10_001), "", " \n ", null, 7, undefined].map((body) => ({ body })),
  ...["team", "PUBLIC", "", 1].map((visibility) => ({ visibility })),
  ...["x", ["x"], [null], {}, Array.from({ length: 51 }, () => ID)].map((mentions) => ({ mentions })),
])("refuses %j", (change) => {
  const { error } = NewCommentInput.safeParse({ body: "x", ...change });
  expect(new Set(error?.issues.map(({ path }) => path[0]))).toEqual(new Set(Object.keys(change)));
});
