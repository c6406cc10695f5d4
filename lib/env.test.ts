import fs from "node:fs";
import path from "node:path";
import { describe, expect, test, vi } from "vitest";
import { buildIsolatedProcessEnv, EnvError, EnvironmentVariablesSchema, parseEnv } from "./env.ts";

const problemOf = (source: Record<string, string>): string => {
  try {
    parseEnv(source);
  } catch (error) {
    expect(error).toBeInstanceOf(EnvError);
    return (error as Error).message;
  }
  throw new Error(`${JSON.stringify(source)} was accepted`);
};

const KEY = "k3Jx0vQmZ7-not-to-be-guessed-9Lw2";

describe("a value that makes no sense is refused with the name of its variable and what it should be", () => {
  const whole = Object.keys(EnvironmentVariablesSchema.shape).filter((name) =>
    /^(PORT|SESSION_(IDLE|ABSOLUTE)_SECONDS|RESET_TOKEN_SECONDS|RATE_.*_PER_.*|DATABASE_(POOL|ACQUIRE_MS|STATEMENT_MS)|RESPONSE_DEADLINE_HOURS|URGENT_DEADLINE_MINUTES|UPLOAD_SECONDS|UPLOADS_IN_FLIGHT_MB)$/.test(
      name,
    ),
  );

  test("the test covers every numeric variable", () => {
    expect(whole).toHaveLength(29);
  });

  test.each(whole)("%s takes whole numbers within its limits", (name) => {
    for (const value of ["NaN", "Infinity", " ", "1.5", "-1", "1e3", "0x10", "3000 ", "99999999999999"])
      expect(problemOf({ [name]: value })).toMatch(
        new RegExp(`^ {2}${name} should be a whole number from \\d+ to \\d+$`, "m"),
      );
  });

  test.each([
    ["HOST", " ", "an address of this machine, such as 127.0.0.1"],
    ["HEED_DATA_DIR", " ", "the path of a folder"],
    ["DATABASE_URL", "mysql://localhost/heed", "a URL such as postgresql://user:password@host:5432/heed"],
    ["DATABASE_URL", "localhost:5432", "a URL such as postgresql://user:password@host:5432/heed"],
    ["BASE_URL", "heed.example.org", "a URL such as https://heed.example.org"],
    ["BASE_URL", "https://example.org/heed", "a URL without a path, such as https://heed.example.org"],
    ["BASE_URL", "https://example.org/?a=1", "a URL without a path, such as https://heed.example.org"],
    ["BASE_URL", "https://me@example.org", "a URL without a path, such as https://heed.example.org"],
    ["BASE_URL", "https://:secret@example.org", "a URL without a path, such as https://heed.example.org"],
    ["BASE_URL", " ", "a URL such as https://heed.example.org"],
    ["SMTP_URL", "https://mail.example.org", "a URL such as smtps://user:password@mail.example.org:465"],
    ["MAIL_FROM", "Heed", "an address such as Heed <heed@example.org>"],
    ["MAIL_FROM", "Heed <a@example.org>\nBcc: b@example.org", "an address such as Heed <heed@example.org>"],
    [
      "S3_URL",
      "https://s3.example.org/bucket",
      "a URL with key, secret and bucket, such as https://key:secret@s3.example.org/bucket?region=eu-central-1",
    ],
    [
      "SESSION_KEYS",
      "short",
      "one or more keys of at least 32 characters, newest first, separated by commas",
    ],
    [
      "SESSION_KEYS",
      `${KEY},`,
      "one or more keys of at least 32 characters, newest first, separated by commas",
    ],
    [
      "SESSION_KEYS",
      "k".repeat(32),
      "keys that nobody can guess, such as those that openssl rand -base64 33 makes",
    ],
    [
      "SESSION_KEYS",
      "change-me-to-a-long-random-string",
      "keys that nobody can guess, such as those that openssl rand -base64 33 makes",
    ],
    [
      "BASE_URL",
      "http://heed.example.org",
      "https on a public host, since passwords and reports pass through it",
    ],
    [
      "BASE_URL",
      "http://203.0.113.7:3000",
      "https on a public host, since passwords and reports pass through it",
    ],
    ...["*", "null", "example.org", "https://a.example.org/", "https://A.example.org"].map((value) => [
      "CORS_ORIGINS",
      value,
      "origins such as https://dashboard.example.org, without a path and separated by commas",
    ]),
    ["TRUSTED_PROXIES", "localhost", "addresses or ranges such as 10.0.0.0/8, separated by commas"],
    ["RATE_LIMITS", "yes", "on or off"],
    ["DIRECT_API", "fast", "on or off"],
    ["PRINT_MAIL_LINKS", "maybe", "on or off"],
    ["LOG_LEVEL", "verbose", "one of silent, error, warn, info, debug"],
  ])("%s=%j", (name, value, should) => {
    expect(problemOf({ [name]: value }).split("\n")).toContain(`  ${name} should be ${should}`);
  });

  test("a cheap hash of passwords where strangers can sign in", () => {
    expect(parseEnv({ PASSWORD_COST: "4" }).PASSWORD_COST).toBe(4);
    expect(problemOf({ PASSWORD_COST: "11", BASE_URL: "https://heed.example.org" })).toContain(
      "PASSWORD_COST should be a whole number from 12 to 15 where BASE_URL is set",
    );
  });

  test.each(["12", "15"])("a hash of passwords that costs %s, where strangers can sign in", (cost) => {
    const env = parseEnv({ PASSWORD_COST: cost, BASE_URL: "https://heed.example.org" });
    expect(env.PASSWORD_COST).toBe(Number(cost));
    expect(problemOf({ PASSWORD_COST: "16" })).toContain(
      "PASSWORD_COST should be a whole number from 4 to 15",
    );
  });

  test("several invalid values are all reported, without the values", () => {
    const problem = problemOf({ PORT: "secret-1", SESSION_KEYS: "secret-2", DATABASE_URL: "secret-3" });
    for (const name of ["PORT", "SESSION_KEYS", "DATABASE_URL"])
      expect(problem).toContain(`${name} should be`);
    expect(problem).not.toContain("secret");
  });
});

describe("what follows from the environment", () => {
  test("an empty value counts as unset", () => {
    const blank = Object.fromEntries(Object.keys(EnvironmentVariablesSchema.shape).map((name) => [name, ""]));
    expect(parseEnv(blank)).toEqual(parseEnv({}));
  });

  test("local mode without BASE_URL, production mode with it", () => {
    expect(parseEnv({ PORT: "4000" })).toMatchObject({
      production: false,
      rateLimits: false,
      https: false,
      baseUrl: "http://localhost:4000",
    });
    expect(parseEnv({ BASE_URL: "HTTPS://Heed.example.org:443/" })).toMatchObject({
      production: true,
      rateLimits: true,
      https: true,
      baseUrl: "https://heed.example.org",
    });
    expect(parseEnv({ BASE_URL: "http://10.0.0.7:3000", RATE_LIMITS: "off" })).toMatchObject({
      production: true,
      rateLimits: false,
      https: false,
    });
  });

  test("the data folder is absolute", () => {
    expect(parseEnv({ HEED_DATA_DIR: "somewhere" }).dataDir).toBe(path.resolve("somewhere"));
  });
});

describe("docs/operating.md", () => {
  const text = fs.readFileSync(path.resolve(import.meta.dirname, "../docs/operating.md"), "utf8");
  const rows = [...text.matchAll(/^\| `([A-Z][A-Z0-9_]*)` *\| *([^|]*?) *\|/gm)].map(
    ([, name = "", given = ""]) => ({
      name,
      given: given.replaceAll("`", ""),
    }),
  );

  test("lists exactly the existing variables, each once", () => {
    expect(rows.map(({ name }) => name).toSorted()).toEqual(
      Object.keys(EnvironmentVariablesSchema.shape).toSorted(),
    );
  });

  test("gives the actual default of each", () => {
    const defaults = EnvironmentVariablesSchema.parse({}) as Record<string, unknown>;
    for (const { name, given } of rows) {
      const value = defaults[name];
      const text = typeof value === "boolean" ? (value ? "on" : "off") : (value ?? "");
      expect(`${name}: ${given}`).toBe(`${name}: ${text === "" ? "none" : text}`);
    }
  });
});

test("a process that reads files gets the folder of compiled code from the environment, and nothing else", () => {
  vi.stubEnv("SESSION_KEYS", KEY);
  vi.stubEnv("NODE_COMPILE_CACHE", "/compiled");
  expect(buildIsolatedProcessEnv()).toEqual({ NODE_ENV: "production", NODE_COMPILE_CACHE: "/compiled" });
  vi.stubEnv("NODE_COMPILE_CACHE", undefined);
  expect(buildIsolatedProcessEnv()).toEqual({ NODE_ENV: "production" });
  vi.unstubAllEnvs();
});
