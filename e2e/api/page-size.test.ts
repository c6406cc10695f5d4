import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { sendRawRequest } from "#e2e/support/client.ts";
import { shareService } from "#e2e/support/service.ts";
import { TestWorld } from "#e2e/support/world.ts";

/** What a page sends first: its HTML, compressed, and the style sheets that it needs. */

const heed = await shareService();
const { event } = await TestWorld.build(heed);

const EVENT_PAGE = `/e/${event.slug}`;
const fetchEncoded = (path: string, encoding: string) =>
  sendRawRequest(heed.url, { method: "GET", path, headers: { "accept-encoding": encoding } });

/** Bytes of the compressed page and of its style sheets. */
async function measureFirstAnswer(path: string): Promise<number> {
  const page = await fetchEncoded(path, "br");
  expect([page.status, page.headers["content-encoding"]]).toEqual([200, "br"]);
  const html = brotliDecompressSync(page.bytes).toString();
  const sheets = [...html.matchAll(/<link rel="stylesheet" href="([^"]+)"/g)].map(([, href = ""]) => href);
  expect(sheets.length).toBeGreaterThan(0);
  const sent = await Promise.all(sheets.map((sheet) => fetchEncoded(sheet, "br")));
  return sent.reduce((sum, { bytes }) => sum + bytes.length, page.bytes.length);
}

/** Above one flight of TCP, 14 kB: docs/performance.md says what takes the rest. */
test.each([
  [EVENT_PAGE, 20_000],
  [`${EVENT_PAGE}/report?without=account`, 26_100],
  ["/mailbox", 17_800],
])("%s sends at most %i bytes before it can be read", async (path, most) => {
  expect(await measureFirstAnswer(path)).toBeLessThanOrEqual(most);
});

describe("a page", () => {
  test.each([
    ["br, gzip", "br"],
    ["gzip, deflate, br, zstd", "br"],
    ["br;q=0.5, gzip", "gzip"],
    ["gzip", "gzip"],
    ["br;q=0, gzip", "gzip"],
  ])("goes out for %j as %s", async (accepted, encoding) => {
    const packed = await fetchEncoded(EVENT_PAGE, accepted);
    expect(packed.headers["content-encoding"]).toBe(encoding);
    expect(packed.headers.vary).toMatch(/accept-encoding/i);
    const text = (encoding === "br" ? brotliDecompressSync : gunzipSync)(packed.bytes).toString();
    expect(text).toContain("</html>");
    expect(text).toContain(event.name);
  });

  test("is sent uncompressed to clients that accept no compression", async () => {
    const plain = await fetchEncoded(EVENT_PAGE, "identity");
    expect(plain.headers["content-encoding"]).toBeUndefined();
    expect(plain.bytes.toString()).toContain(event.name);
  });
});
