import fc from "fast-check";
import { type Role, ROLES } from "#e2e/api/roles.ts";
import { listAliases, type Row } from "#e2e/api/routes.ts";
import type { DescribedOperation, Json } from "#e2e/support/api-description.ts";
import {
  arbitraryValidValue,
  arbitraryHostileValue,
  arbitraryBoundaryValue,
  type ValueArbitrary,
} from "./values.ts";

/**
 * A generated request: the request of a row that succeeds, sent as some asker, with changes. A plan holds no id of a
 * test world, so that it can be repeated in another one, and shrunk to a minimal example.
 */

/** Askers besides people with a session: a Responder's token for one event, and an Admin's read-only token. */
const ASKERS = [...ROLES, "eventToken", "readingToken"] as const;
export type Asker = (typeof ASKERS)[number];

export type Change =
  | { part: "param" | "field" | "query"; name: string; value: unknown }
  | { part: "drop"; name: string }
  | { part: "header"; name: string; value: string }
  | { part: "body"; raw: string }
  | { part: "asJson" };

export type Plan = { asker: Asker; path: string; changes: Change[] };

/** Generates plans for an operation, from the row's roles and request, and from the document. */
export function arbitraryPlans(described: DescribedOperation, row: Row): fc.Arbitrary<Plan> {
  const [head = ""] = described.path.split("{");
  const paths = [
    toRoutePattern(described.path),
    ...listAliases(row).filter((path) => !head || path.startsWith("/events/")),
  ];
  return fc.record({
    asker: fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom<Asker>(...row.who) },
      { weight: 4, arbitrary: fc.constantFrom<Asker>(...ASKERS) },
    ),
    path: fc.constantFrom(...paths),
    changes: fc.oneof(
      { weight: 1, arbitrary: fc.constant<Change[]>([]) },
      { weight: 3, arbitrary: fc.array(arbitraryValidChange(described), { minLength: 1, maxLength: 5 }) },
      { weight: 3, arbitrary: fc.array(arbitraryChange(described), { minLength: 1, maxLength: 3 }) },
    ),
  });
}

/** Builds the plan of the unchanged request, sent by the first role that may. */
export const buildPlainPlan = (described: DescribedOperation, row: Row): Plan => ({
  asker: row.who.find((role: Role) => role === "sam") ?? row.who[0] ?? "nobody",
  path: toRoutePattern(described.path),
  changes: [],
});

const toRoutePattern = (path: string) => path.replace(/\{(\w+)\}/g, ":$1");

type Slot = { part: "param" | "field" | "query"; name: string; schema: Json };

/** Lists every place of a request that the document names. */
function listSlots({ item, operation }: DescribedOperation): Slot[] {
  const parameters: Json[] = [...(item.parameters ?? []), ...(operation.parameters ?? [])];
  const named = parameters
    .filter(({ in: where }) => where !== "header")
    // Without this header the live stream stays open.
    .filter(({ name }) => name !== "poll")
    .map(({ in: where, name, schema }): Slot => ({
      part: where === "path" ? "param" : "query",
      name,
      schema: where === "path" && /Id$|^id$/.test(name) ? { type: "string", format: "uuid" } : schema,
    }));
  const bodies = Object.values<Json>(operation.requestBody?.content ?? {});
  const fields = Object.assign({}, ...bodies.map(({ schema }) => schema.properties ?? {}));
  return [
    ...named,
    ...Object.entries<Json>(fields).map(([name, schema]): Slot => ({ part: "field", name, schema })),
  ];
}

const arbitrarySlotChange = ({ part, name }: Slot, value: ValueArbitrary): fc.Arbitrary<Change> =>
  value.map((one) => ({ part, name, value: one }));

/** Generates a change after which the request may still succeed: another valid value in the body or query. */
function arbitraryValidChange(described: DescribedOperation): fc.Arbitrary<Change> {
  const slots = listSlots(described).filter(({ part }) => part !== "param");
  if (slots.length === 0) return fc.constantFrom(...HARMLESS_HEADERS);
  return fc.oneof(
    ...slots.map((slot) => arbitrarySlotChange(slot, arbitraryValidValue(slot.schema, slot.name))),
  );
}

function arbitraryChange(described: DescribedOperation): fc.Arbitrary<Change> {
  const slots = listSlots(described);
  const strange: Slot[] = ["__proto__", "id", "constructor", "isAdmin", "organizationId"].map((name) => ({
    part: described.method === "GET" ? "query" : "field",
    name,
    schema: {},
  }));
  const changes = [...slots, ...strange].flatMap((slot) => [
    arbitrarySlotChange(slot, arbitraryValidValue(slot.schema, slot.name)),
    arbitrarySlotChange(slot, arbitraryBoundaryValue(slot.schema, slot.name)),
    arbitrarySlotChange(slot, arbitraryHostileValue),
  ]);
  const fields = slots.filter(({ part }) => part === "field").map(({ name }) => name);
  return fc.oneof(
    { weight: 6, arbitrary: fc.oneof(...changes) },
    { weight: 1, arbitrary: fc.constantFrom(...HARMLESS_HEADERS, ...ODD_HEADERS) },
    ...(fields.length > 0
      ? [
          {
            weight: 1,
            arbitrary: fc.constantFrom(...fields).map((name): Change => ({ part: "drop", name })),
          },
          { weight: 1, arbitrary: arbitraryRawBody },
          { weight: 1, arbitrary: fc.constant<Change>({ part: "asJson" }) },
        ]
      : []),
  );
}

const arbitraryRawBody: fc.Arbitrary<Change> = fc
  .oneof(
    fc.constantFrom("", "{", "null", "[]", "1", '"x"', "{}", '{"a":1,}', '{"a":1,"a":2}', "\uFEFF{}"),
    fc.constantFrom("[".repeat(20_000), `{"x":"${"y".repeat(110_000)}"}`, "--x\r\n\r\n", "a=b&a=c"),
    fc.string({ unit: "binary", maxLength: 60 }),
    fc.json(),
  )
  .map((raw) => ({ part: "body", raw }));

const buildHeaderChanges = (name: string, ...values: string[]): Change[] =>
  values.map((value) => ({ part: "header", name, value }));

const HARMLESS_HEADERS = [
  ...buildHeaderChanges(
    "accept",
    "*/*;q=0",
    "application/pdf",
    "text/html, */*;q=0.1",
    "x".repeat(4000),
    "/;;=,",
  ),
  ...buildHeaderChanges("accept-language", "ar", "xx-;q=9,*", "de-".repeat(800)),
  ...buildHeaderChanges("user-agent", "", "x".repeat(9000), "a\tb", "\u00ff\u00fe"),
  ...buildHeaderChanges("x-forwarded-for", "203.0.113.9, 10.0.0.1", "::::", "x".repeat(5000)),
  ...buildHeaderChanges("forwarded", "for=203.0.113.8;host=evil.test"),
  ...buildHeaderChanges("x-forwarded-host", "evil.test"),
  ...buildHeaderChanges("x-request-id", "x", '"><script>'),
  ...buildHeaderChanges("x-http-method-override", "DELETE"),
  ...buildHeaderChanges("x-middleware-subrequest", "proxy:proxy:proxy:proxy:proxy"),
  ...buildHeaderChanges("rsc", "1"),
  ...buildHeaderChanges("next-action", "x", "7f".repeat(20)),
  ...buildHeaderChanges("next-router-state-tree", "%", "[]"),
  ...buildHeaderChanges("x-heed-client", "203.0.113.7"),
  ...buildHeaderChanges("x-heed-wrong-method", "yes"),
];

const ODD_HEADERS = [
  ...buildHeaderChanges(
    "content-type",
    "application/json; charset=utf-16",
    "text/plain",
    "multipart/form-data",
    "",
    "x",
  ),
  ...buildHeaderChanges(
    "content-type",
    "application/json",
    `multipart/form-data; boundary=${"b".repeat(5000)}`,
  ),
  ...buildHeaderChanges("content-encoding", "gzip", "identity", "x"),
  ...buildHeaderChanges("if-match", "x", '"x"', "*", "2026-05-02T10:00:00.000Z"),
  ...buildHeaderChanges("if-none-match", "*", '"x"', "W/"),
  ...buildHeaderChanges(
    "range",
    "bytes=0-0",
    "bytes=-1",
    "bytes=9-1",
    "bytes=0-,5-",
    "lines=1",
    "bytes=99999999-",
  ),
  ...buildHeaderChanges("sec-fetch-site", "cross-site", "same-origin", ""),
  ...buildHeaderChanges("origin", "null", "https://evil.test", "x"),
  ...buildHeaderChanges("expect", "something"),
  ...buildHeaderChanges("upgrade", "websocket"),
];
