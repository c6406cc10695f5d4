import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { shareService } from "#e2e/support/service.ts";
import { TestWorld } from "#e2e/support/world.ts";

/**
 * A link to one of our pages shows nobody a text of whoever made the link, and leads to no address of theirs. Every page
 * is opened with every parameter that any page reads.
 */

const heed = await shareService();
const world = await TestWorld.build(heed);
const { ada, event, olga, organization } = world;

const ROOT = path.resolve(import.meta.dirname, "../..");
const NOTHING = "00000000-0000-4000-8000-000000000000";

const listSources = (folder: string): string[] =>
  fs
    .readdirSync(path.join(ROOT, folder), { recursive: true })
    .map((file) => path.join(folder, String(file)))
    .filter((file) => /\.tsx?$/.test(file) && !file.includes("generated"));

const sources = ["app", "components"].flatMap(listSources);

/** The parameters that pages read, and some that others have been fooled with. */
function listParameters(): string[] {
  const reads = [
    /\b(?:query|searchParams)\.(\w+)\b(?!\()/g,
    /readSingleSearchParam\([^,]+, "(\w+)"\)/g,
    /searchParams\.get\("(\w+)"\)/g,
    /\b(\w+)(?:: \w+)?(?:, \.\.\.\w+)? \} = await searchParams/g,
  ];
  const names = sources.flatMap((file) => {
    const text = fs.readFileSync(path.join(ROOT, file), "utf8");
    return reads.flatMap((pattern) => [...text.matchAll(pattern)].map(([, name = ""]) => name));
  });
  const usual = [
    "next",
    "return",
    "done",
    "after",
    "message",
    "error",
    "title",
    "to",
    "url",
    "redirect",
    "token",
  ];
  return [...new Set([...names, ...usual])].toSorted();
}

const names: Record<string, string> = { slug: event.slug, userId: olga.id };
const pages = sources
  .filter((file) => file.startsWith("app/") && path.basename(file) === "page.tsx")
  .map((file) =>
    `/${path.dirname(file).slice("app/".length)}`.replaceAll(/\/\(\w+\)/g, "").replace(/^\/app$/, "/"),
  )
  .map((route) =>
    route.replaceAll(/\[(?:\.\.\.)?(\w+)\]/g, (_, name: string) =>
      route.startsWith("/orgs/") && name === "slug" ? organization.slug : (names[name] ?? NOTHING),
    ),
  );

const PARAMETERS = listParameters();
const VALUES = ["https://elsewhere.example/call", "//elsewhere.example/call", "javascript:elsewhere.example"];

/** What somebody typed to search or filter stands in the fields of the same page, for people who are signed in. */
const TYPED = new Set(["search", "q", "from", "to"]);

const unescape = (text: string): string => text.replaceAll("&amp;", "&").replaceAll("&#x27;", "'");

function findForeignContent(html: string): string[] {
  const page = html.replaceAll(/<script\b.*?<\/script>/gs, "");
  const attributes = [...page.matchAll(/\s(?:href|src|action|formaction|content)="([^"]*)"/gi)];
  const links = attributes
    .map(([, value = ""]) => unescape(value))
    .filter((value) => !/^[/?#](?![/\\])/.test(value));
  const fields = [...page.matchAll(/<input\b[^>]*>/g)].map(([tag]) => ({
    name: /\bname="([^"]*)"/.exec(tag)?.[1] ?? "",
    isHidden: tag.includes('type="hidden"'),
    value: unescape(/\bvalue="([^"]*)"/.exec(tag)?.[1] ?? ""),
  }));
  // A hidden field may carry a parameter on, as a link to sign in does: nobody sees it, and it leads nowhere by itself.
  const values = fields
    .filter(({ name, isHidden }) => !isHidden && !TYPED.has(name))
    .map(({ value }) => value);
  const shown = page.replaceAll(/<[^>]*>/g, " ").replaceAll(/Search:\s+\S+/g, " ");
  return [...links, ...values, shown.match(/.{0,40}elsewhere\.example/s)?.[0] ?? ""].filter((one) =>
    one.includes("elsewhere.example"),
  );
}

/**
 * Opens a page, and lists its contents, links and redirects that come from the parameters' foreign site, each with the
 * page's address.
 * @param cookie of the session, if any
 */
async function listForeignContentOfPage(
  cookie: string | undefined,
  page: string,
  parameters: Record<string, string>,
) {
  const headers = { accept: "text/html", ...(cookie && { cookie }) };
  const address = `${heed.url}${page}?${new URLSearchParams(parameters)}`;
  const response = await fetch(address, { headers, redirect: "manual" });
  const location = response.headers.get("location")?.replace(heed.url, "") ?? "/";
  const found = [
    ...(/^\/(?![/\\])/.test(location) ? [] : [location]),
    ...findForeignContent(await response.text()),
  ];
  return found.map((one) => `${page} ${one.slice(0, 150)}`);
}

describe("parameters of a page", () => {
  test("are found in the sources, and so are the pages", () => {
    expect(PARAMETERS).toEqual(
      expect.arrayContaining(["after", "done", "export", "file", "next", "page", "return"]),
    );
    expect(pages).toEqual(expect.arrayContaining(["/", "/mailbox", "/login", `/e/${event.slug}/report`]));
    expect(pages.length).toBeGreaterThan(50);
  });

  test("show and lead to nothing of others, all at once", async () => {
    const found = [];
    const cookies = [undefined, world.as(ada).cookie];
    // Each page gets each value, from another person in turn.
    for (const [at, page] of pages.entries())
      for (const [who, cookie] of cookies.entries()) {
        const value = VALUES[(at + who) % VALUES.length] ?? "";
        const all = Object.fromEntries(PARAMETERS.map((name) => [name, value]));
        found.push(...(await listForeignContentOfPage(cookie, page, all)));
      }
    expect(found).toEqual([]);
  }, 300_000);

  const OPEN_PAGES = {
    "/mailbox": "app/mailbox",
    "/login": "app/(account)/login",
    "/register": "app/(account)/register",
    [`/e/${event.slug}`]: "app/e/[slug]",
    [`/e/${event.slug}/report`]: "app/e/[slug]/report",
  };

  /** A parameter may hide what another one does: those that the folder of a page names come alone, the others in tens. */
  function listGroups(folder: string): string[][] {
    const texts = sources
      .filter((file) => path.dirname(file) === folder)
      .map((file) => fs.readFileSync(path.join(ROOT, file), "utf8"));
    const isNamed = (name: string) => texts.some((text) => new RegExp(`\\b${name}\\b`).test(text));
    const others = PARAMETERS.filter((name) => !isNamed(name));
    const tens = Map.groupBy(others, (name) => Math.floor(others.indexOf(name) / 10));
    return [...PARAMETERS.filter(isNamed).map((name) => [name]), ...tens.values()];
  }

  test.each(Object.entries(OPEN_PAGES))(
    "show and lead to nothing of others, few at a time, to whoever has no account: %s",
    async (page, folder) => {
      const found = [];
      for (const names of listGroups(folder)) {
        const given = Object.fromEntries(names.map((name) => [name, VALUES[0] ?? ""]));
        found.push(...(await listForeignContentOfPage(undefined, page, { without: "account", ...given })));
      }
      expect(found).toEqual([]);
    },
    300_000,
  );

  test("are noticed in a text field and in a link, and not where a link carries them on", () => {
    expect(findForeignContent(`<textarea>call https://elsewhere.example</textarea>`)).toHaveLength(1);
    expect(findForeignContent(`<a href="//elsewhere.example">Go on</a>`)).toHaveLength(1);
    expect(findForeignContent(`<a href="/login?next=//elsewhere.example">Sign in</a>`)).toEqual([]);
  });
});
