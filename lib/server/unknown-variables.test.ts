import { describe, expect, test } from "vitest";
import { EnvironmentVariablesSchema } from "#lib/env.ts";
import { describeUnknownVariables } from "./unknown-variables.ts";

const nameOf = (line: string) => line.split(" ", 1)[0];
const suggestionOf = (name: string) =>
  /Did you mean (\w+)\?/.exec(describeUnknownVariables({ [name]: "a secret" }).join())?.[1];

describe("a variable that nobody reads is named, without its value", () => {
  test.each([
    ["SMPT_URL", "SMTP_URL"],
    ["smtp_url", "SMTP_URL"],
    ["DATABSE_URL", "DATABASE_URL"],
    ["BASEURL", "BASE_URL"],
    ["TRUSTED_PROXY", undefined],
    ["AUDIT_KEY", "AUDIT_KEYS"],
    ["TIMEZONE", "TIME_ZONE"],
    ["HEED_DATADIR", "HEED_DATA_DIR"],
    ["S3_URI", "S3_URL"],
  ])("%s, for %s", (name, meant) => {
    expect(suggestionOf(name)).toBe(meant);
    expect(describeUnknownVariables({ [name]: "a secret" }).join()).not.toContain("a secret");
  });

  test.each(["HEED_BASE_URL", "RATE_EVERYTHING_PER_HOUR"])("%s, which begins like ours", (name) => {
    expect(describeUnknownVariables({ [name]: "1" }).map(nameOf)).toEqual([name]);
  });
});

test("variables of the service, of other programs and of Kubernetes are not named", () => {
  const others =
    "PATH HOSTNAME HOME PWD SHLVL USER LANG TZ TERM NODE_OPTIONS NODE_ENV npm_config_cache TMPDIR NO_COLOR CI PGHOST " +
    "OTEL_EXPORTER_OTLP_HEADERS OTEL_TRACES_SAMPLER HEED_SERVICE_HOST HEED_PORT HEED_PORT_3000_TCP POSTGRES_PASSWORD";
  const names = [...Object.keys(EnvironmentVariablesSchema.shape), ...others.split(" ")];
  expect(describeUnknownVariables(Object.fromEntries(names.map((name) => [name, "x"])))).toEqual([]);
});

test("a name close to a variable that is set belongs to another program, and an empty value counts as unset", () => {
  expect(describeUnknownVariables({ TIMEZONE: "UTC", TIME_ZONE: "UTC", SMPT_URL: "" })).toEqual([]);
});
