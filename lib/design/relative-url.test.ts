import { expect, test } from "vitest";
import { toRelativeUrl } from "./relative-url.ts";

test.each([
  ["http://localhost:3000/api/organizations/o1/logo?v=12345678", "/api/organizations/o1/logo?v=12345678"],
  ["/icon.svg", "/icon.svg"],
])("%s is loaded from where the page came from", (address, path) => {
  expect(toRelativeUrl(address)).toBe(path);
});
