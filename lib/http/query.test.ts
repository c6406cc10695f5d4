import { expect, test } from "vitest";
import { readQuery } from "./query.ts";

const isList = (name: string) => name === "status";

test("a list whose name is repeated has the values of all, and another name stands once", () => {
  expect(readQuery("/api?status=a&status=b,c&status=d&page=2", isList)).toEqual({
    status: "a,b,c,d",
    page: "2",
  });
  expect(() => readQuery("/api?page=1&page=2", isList)).toThrow();
  expect(() => readQuery("/api?status=a&status=b")).toThrow();
});
