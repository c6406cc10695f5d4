import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  fetchOfflineIntakeKit,
  storeSealedDraft,
  listSealedDrafts,
  retryRefusedSealedDrafts,
  sendSealedDrafts,
} from "./sealed-drafts.ts";

/** Statuses of the service by draft; a draft without one has no response. */
let statuses: Record<string, number> = {};

beforeEach(() => {
  const stored = new Map<string, string>();
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
    removeItem: (key: string) => stored.delete(key),
  });
  vi.stubGlobal("fetch", async (_: string, { body }: { body: string }) => {
    const status = statuses[(JSON.parse(body) as { sealed: string }).sealed];
    if (status === undefined) throw new TypeError("no connection");
    return { status };
  });
});
afterEach(() => vi.unstubAllGlobals());

async function send(all: Record<string, number>) {
  statuses = all;
  for (const sealed of ["one", "two", "three"]) storeSealedDraft("me", { slug: "spring", sealed });
  const outcome = await sendSealedDrafts("me");
  return {
    outcome,
    left: listSealedDrafts("me").map(({ sealed, refused }) => (refused ? `${sealed}!` : sealed)),
  };
}

describe("sending what was sealed", () => {
  it("removes drafts that the service has, whether it received them now or earlier", async () => {
    expect(await send({ one: 201, two: 409, three: 201 })).toEqual({
      outcome: { sent: 2, sentBefore: 1, signedOut: false },
      left: [],
    });
  });

  it("keeps a draft that can't be opened, and sends the others", async () => {
    const { outcome, left } = await send({ one: 400, two: 201, three: 201 });
    expect([outcome.sent, left]).toEqual([2, ["one!"]]);
  });

  it("sends a refused draft again once the person asks for it", async () => {
    await send({ one: 400, two: 201, three: 201 });
    expect(await sendSealedDrafts("me")).toMatchObject({ sent: 0 });
    statuses = { one: 201 };
    retryRefusedSealedDrafts("me");
    expect([await sendSealedDrafts("me"), listSealedDrafts("me")]).toMatchObject([{ sent: 1 }, []]);
  });

  it.each([403, 404, 413, 500])(
    "keeps a draft with a response of %i, and sends the others",
    async (status) => {
      const { outcome, left } = await send({ one: status, two: 201, three: 201 });
      expect([outcome.sent, left]).toEqual([2, ["one"]]);
    },
  );

  it.each([429, 503])("stops at a response of %i", async (status) => {
    const { outcome, left } = await send({ one: 201, two: status, three: 201 });
    expect([outcome.sent, left]).toEqual([1, ["two", "three"]]);
  });

  it("stops without a connection, and when the person is signed out", async () => {
    expect((await send({ three: 201 })).left).toEqual(["one", "two", "three"]);
    expect(await send({ one: 401, two: 201, three: 201 })).toMatchObject({
      outcome: { sent: 0, signedOut: true },
    });
  });
});

it("has no kit, rather than an error, if the connection is lost while the kit arrives", async () => {
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode('{"key":"')),
    pull: (controller) => controller.error(new TypeError("network error")),
  });
  vi.stubGlobal("fetch", async () => new Response(body));
  expect(await fetchOfflineIntakeKit("spring")).toBeNull();
});
