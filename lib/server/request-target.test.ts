import { expect, test } from "vitest";
import { toOriginForm } from "./request-target.ts";

test.each([
  ["/api/session?a=1", "/api/session?a=1"],
  ["http://localhost:3000/api/session?a=1", "/api/session?a=1"],
  ["HTTPS://heed.example/api", "/api"],
  ["http://heed.example", "/"],
  ["http://heed.example?a=1", "/?a=1"],
  ["http:///api", "/api"],
  ["//heed.example/api", "//heed.example/api"],
  ["/http://heed.example/api", "/http://heed.example/api"],
  ["*", "*"],
])("the target %s is that of the path %s", (target, path) => {
  expect(toOriginForm(target)).toBe(path);
});
