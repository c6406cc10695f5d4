import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { Client } from "#e2e/support/client.ts";
import { ROOT } from "#lib/run/prepare.ts";
import { layOut, listing, startStandalone } from "#e2e/support/standalone.ts";

test("the build runs where nothing can be written, with the packages of production, as an ordinary user", async () => {
  const place = layOut();
  try {
    const before = new Set(listing(place.app));
    const running = await startStandalone(place);
    expect(running.output()).not.toMatch(/Building|Generating|EACCES|EROFS|EPERM/);
    const client = new Client(running.url, { countRows: async () => ({}) });
    const account = { email: "first@example.org", password: "a lantern in the harbour", name: "First" };
    expect((await client.post("/api/auth/register", account)).body).toMatchObject({ madeSystemAdmin: true });
    const ready = await client.get("/api/health/ready");
    expect([ready.status, ready.body.storage]).toEqual([200, "ok"]);
    const page = await fetch(`${running.url}/login`);
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    const script = /\/_next\/static\/[^"]+\.js/.exec(await page.text())?.[0];
    expect((await fetch(running.url + (script ?? "/missing"))).status).toBe(200);
    const ended = await running.stop();
    expect(ended.code, ended.output).toBe(0);
    const after = listing(place.app);
    expect(after.filter((line) => !before.has(line))).toEqual([]);
    expect(after).toHaveLength(before.size);
  } finally {
    place.remove();
  }
});

test("what was built can be read by whoever can read the sources", () => {
  const mode = (name: string) => fs.statSync(path.join(ROOT, name)).mode & 0o777;
  expect(mode(".next")).toBe(mode("app"));
  expect(mode(".next/BUILD_ID") & 0o444).toBe(mode("package.json") & 0o444);
});
