import { expect, test } from "vitest";
import { buildRateLimitHeaders } from "./rate-limit-headers.ts";

const general = { name: "general", points: 600, seconds: 60 };

test("a limit has its policy, and what remains with the seconds until there is more", () => {
  expect(buildRateLimitHeaders([{ ...general, remaining: { calls: 599, ms: 59_001 } }])).toEqual({
    "RateLimit-Policy": '"general";q=600;w=60',
    RateLimit: '"general";r=599;t=60',
  });
});

test("a limit whose remaining calls stay secret has its policy only", () => {
  const report = { name: "report", points: 20, seconds: 3600 };
  expect(buildRateLimitHeaders([{ ...general, remaining: { calls: -1, ms: 0 } }, report])).toEqual({
    "RateLimit-Policy": '"general";q=600;w=60, "report";q=20;w=3600',
    RateLimit: '"general";r=0;t=1',
  });
  expect(buildRateLimitHeaders([report])).toEqual({ "RateLimit-Policy": '"report";q=20;w=3600' });
});

test("a call that no limit counts has no such header", () => {
  expect(buildRateLimitHeaders([])).toEqual({});
});
