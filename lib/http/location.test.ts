import { expect, test } from "vitest";
import { buildLocationHeaders } from "./location.ts";

const request = (path: string) => ({ url: `https://heed.example.org${path}` });

test("a record with its own path has that location", () => {
  const operation = { status: 201, location: ({ id }: { id: string }) => `/api/events/${id}` } as const;
  expect(
    buildLocationHeaders(operation as never, request("/api/organizations/o/events"), { id: "e" }),
  ).toEqual({
    Location: "/api/events/e",
  });
});

test("anything else is in the list that it was added to, without query and alias", () => {
  const operation = { status: 201, location: undefined } as const;
  const headers = buildLocationHeaders(operation, request("/events/slug/fair/incidents/i/comments?x=1"), {});
  expect(headers).toEqual({ Location: "/api/events/slug/fair/incidents/i/comments" });
});

test("an operation that creates nothing has no location", () => {
  expect(buildLocationHeaders({ status: 200, location: undefined }, request("/api/x"), {})).toEqual({});
});
