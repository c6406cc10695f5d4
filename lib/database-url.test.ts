import { expect, it } from "vitest";
import { describeDatabaseUrl, parseDatabaseUrl } from "./database-url.ts";

const urlsOf = (text: string) => {
  const { hosts, urlOf } = parseDatabaseUrl(text);
  return hosts.map(urlOf);
};

it.each([
  ["postgresql://heed:p%40ss@db.example.org/heed", ["postgresql://heed:p%40ss@db.example.org/heed"]],
  [
    "postgres://heed:pass@a:5432,b:5433,[::1]:5434/heed?target_session_attrs=read-write&sslmode=verify-full",
    [
      "postgres://heed:pass@a:5432/heed?sslmode=verify-full",
      "postgres://heed:pass@b:5433/heed?sslmode=verify-full",
      "postgres://heed:pass@[::1]:5434/heed?sslmode=verify-full",
    ],
  ],
  [
    "postgresql://heed@/heed?host=a,b&port=5433&connect_timeout=3",
    ["postgresql://heed@a:5433/heed", "postgresql://heed@b:5433/heed"],
  ],
  [
    "postgresql://heed@/heed?host=/run/a,b&port=1,2",
    ["postgresql://heed@localhost:1/heed?host=%2Frun%2Fa", "postgresql://heed@b:2/heed"],
  ],
  [
    "postgresql://heed:x@localhost/heed?host=%2Frun%2Fa",
    ["postgresql://heed:x@localhost/heed?host=%2Frun%2Fa"],
  ],
])("gives each host of %s a URL of its own", (text, urls) => {
  expect(urlsOf(text)).toEqual(urls);
});

it("reads target_session_attrs and the time-out per host", () => {
  const read = (query: string) => {
    const { targetSessionAttrs, connectTimeoutMs } = parseDatabaseUrl(`postgresql://a,b/heed${query}`);
    return [targetSessionAttrs, connectTimeoutMs];
  };
  expect(read("")).toEqual(["any", undefined]);
  expect(read("?target_session_attrs=read-write&connect_timeout=3")).toEqual(["read-write", 3000]);
  expect(read("?target_session_attrs=primary&connect_timeout=0")).toEqual(["primary", undefined]);
});

it.each([
  ["mysql://secret@a/heed", /^a URL such as postgresql:/],
  ["a:5432", /^a URL such as postgresql:/],
  ["postgresql://secret@a:b:c/heed", /^a URL such as postgresql:/],
  ["postgresql://secret@a,b,c/heed?port=1,2", /as many ports as hosts/],
  ["postgresql://secret@a,b/heed?target_session_attrs=standby", /read-write, primary or any/],
  ["postgresql://secret@a,b/heed?load_balance_hosts=random", /load_balance_hosts/],
  ["postgresql://secret@a,b/heed?connect_timeout=soon", /whole seconds/],
])("refuses %s without repeating it", (text, problem) => {
  expect(() => parseDatabaseUrl(text)).toThrow(problem);
  expect(() => parseDatabaseUrl(text)).not.toThrow(/secret/);
});

it("names hosts and database without user and password", () => {
  expect(describeDatabaseUrl("postgresql://heed:secret@a:1,b/heed?target_session_attrs=primary")).toBe(
    "a:1,b/heed",
  );
});
