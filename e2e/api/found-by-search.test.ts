import { expect, test } from "vitest";
import { buildForm, createPng } from "#e2e/support/evidence.ts";
import { shareService } from "#e2e/support/service.ts";
import { TestWorld } from "#e2e/support/world.ts";

/** What search engines and link previews are told, which they read without script. */

const heed = await shareService();
const world = await TestWorld.build(heed);

const contentOf = (html: string, name: string): string | undefined =>
  new RegExp(`<meta (?:name|property)="${name}" content="([^"]*)"`).exec(html)?.[1];
const headOf = (html: string): string => html.slice(0, html.indexOf("</head>"));
const titleOf = (html: string): string | undefined => /<title>([^<]*)<\/title>/.exec(html)?.[1];

test("somebody who searches for an event’s conduct report finds its public page", async () => {
  const event = await world.newEvent(world.organization, "Lakeside Days");
  await world.grant(world.ada, event, "Admin");
  const logo = buildForm(
    {},
    { field: "logo", name: "logo.png", bytes: await createPng(), type: "image/png" },
  );
  await world.as(world.ada).post(`/api/events/slug/${event.slug}/logo`, logo);
  const { text, status } = await world.nobody.get(`/e/${event.slug}`);
  expect(status).toBe(200);
  const head = headOf(text);
  expect(titleOf(head)).toBe("Lakeside Days: code of conduct and reports");
  expect(contentOf(head, "description")).toMatch(
    /^Report a conduct problem at Lakeside Days, with or without/,
  );
  expect(contentOf(head, "robots")).toBe("index, nofollow");
  expect(contentOf(head, "og:title")).toBe("Lakeside Days: code of conduct and reports");
  expect(contentOf(head, "og:url")).toMatch(new RegExp(`^https?://[^/]+/e/${event.slug}$`));
  const image = new URL(contentOf(head, "og:image") ?? "");
  expect((await world.nobody.get(image.pathname + image.search)).headers["content-type"]).toBe("image/webp");
  const sitemap = (await world.nobody.get("/sitemap.xml")).text;
  expect(sitemap).toContain(`/e/${event.slug}</loc>`);
});

test("an unlisted event and an ended one have noindex", async () => {
  for (const hide of ["setting", "end"] as const) {
    const event = await world.newEvent(world.organization, "Hidden Days");
    await world.grant(world.ada, event, "Admin");
    const api = `/api/events/slug/${event.slug}`;
    const reply =
      hide === "setting"
        ? await world.as(world.ada).patch(`${api}/report-settings`, { searchEngines: false })
        : await world.as(world.ada).patch(api, { isActive: false });
    expect(reply.status).toBe(200);
    const head = headOf((await world.nobody.get(`/e/${event.slug}`)).text);
    expect([titleOf(head), contentOf(head, "robots")]).toEqual(["Hidden Days · Heed", "noindex, nofollow"]);
    expect((await world.nobody.get("/sitemap.xml")).text).not.toContain(event.slug);
  }
});

test("robots.txt names the sitemap, and every page but the public ones has noindex", async () => {
  const robots = await world.nobody.get("/robots.txt");
  expect([robots.status, robots.headers["content-type"]]).toEqual([200, "text/plain; charset=utf-8"]);
  expect(robots.text).toContain(`\nSitemap: http://localhost:${heed.port}/sitemap.xml\n`);
  const sitemap = await world.nobody.get("/sitemap.xml");
  expect(sitemap.headers["content-type"]).toBe("application/xml; charset=utf-8");
  for (const path of ["/login", "/register", "/reference", `/e/${world.event.slug}/report/sent`])
    expect(contentOf(headOf((await world.nobody.get(path)).text), "robots"), path).toBe("noindex, nofollow");
});
