import type { ReadableSpan } from "@opentelemetry/sdk-trace-node";
import { expect, test } from "vitest";
import { redactSpan } from "./redaction.ts";

const span = (given: Partial<ReadableSpan>): ReadableSpan =>
  ({
    name: "GET /invite/a-code?x=1",
    attributes: {},
    events: [{ name: "exception", time: [0, 0], attributes: { "exception.message": "maya@example.org" } }],
    links: [],
    status: { code: 2, message: "maya@example.org" },
    ...given,
  }) as ReadableSpan;

test("a span keeps only attributes that are known to be harmless", () => {
  const attributes = {
    "http.target": "/invite/a-code?x=1",
    "http.url": "https://a/?b",
    "http.route": "/invite/[code]",
  };
  expect(redactSpan(span({ attributes })).attributes).toEqual({ "http.route": "/invite/[code]" });
});

test("a span of Next is named by its type, not by its own name", () => {
  const attributes = { "next.span_type": "BaseServer.handleRequest", "next.span_name": "GET /invite/a-code" };
  expect(redactSpan(span({ attributes })).name).toBe("BaseServer.handleRequest");
  const routed = { ...attributes, "next.route": "/invite/[code]" };
  expect(redactSpan(span({ attributes: routed })).name).toBe("BaseServer.handleRequest /invite/[code]");
});

test("error messages don't leave the process", () => {
  const { events, status } = redactSpan(span({}));
  expect([events, status]).toEqual([[], { code: 2 }]);
});
