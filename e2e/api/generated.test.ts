import fs from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { ROWS, type Row } from "#e2e/api/routes.ts";
import { ApiDescription, type DescribedOperation } from "#e2e/support/api-description.ts";
import { RequestFuzzer } from "#e2e/support/generate/attack.ts";
import { buildPlainPlan, arbitraryPlans } from "#e2e/support/generate/plans.ts";
import { shareService } from "#e2e/support/service.ts";

/**
 * Requests made up from the service's own OpenAPI document, as every role: valid, nearly valid and hostile. None leads
 * to a failure of ours, to a response that the document doesn't describe, or to a word of somebody else's.
 * They are the same in each run, since a change shouldn't fail for what it didn't touch; `npm run attack` makes new ones.
 */

const { HEED_ATTACK_COUNT = "300", HEED_ATTACK_SEED = "20261", HEED_ATTACK_REPORT = "" } = process.env;

const SEED = Number(HEED_ATTACK_SEED);

const heed = await shareService();
const description = new ApiDescription((await heed.visitor().get("/api/openapi.json")).body);

const rowOf = ({ method, path }: DescribedOperation): Row => {
  const own = path.replace(/\{(\w+)\}/g, ":$1");
  const row = ROWS.find((one) => one.method === method && [one.path, ...(one.aliases ?? [])].includes(own));
  if (!row) throw new Error(`${method} ${path} has no row`);
  return row;
};

const OPERATIONS = description.operations.map((described, at) => [described.title, described, at] as const);
/** Where a password is hashed, a request takes as long as twenty others. */
const SLOW_SHARE = 0.25;
const shareOf = (described: DescribedOperation): number => (rowOf(described).slow ? SLOW_SHARE : 1);
/** Each gets its share of all requests, which are as many as were asked for, or a few more. */
const SHARES = OPERATIONS.reduce((sum, [, described]) => sum + shareOf(described), 0);
const EACH = Math.ceil(Number(HEED_ATTACK_COUNT) / SHARES);
const attack = new RequestFuzzer(heed, description, EACH > 20 ? 4 : 1);

const findings: string[] = [];

/** Written anew after each operation, since a long run may be broken off. */
function report(): void {
  if (!HEED_ATTACK_REPORT) return;
  const seeds = `Seed ${SEED}, up to ${EACH} requests each for ${OPERATIONS.length} operations.`;
  fs.writeFileSync(
    HEED_ATTACK_REPORT,
    [...findings, seeds, attack.responseCounts.summary(), ""].join("\n\n"),
  );
}

test.each(OPERATIONS)(
  "%s responds to generated requests as its description says",
  { timeout: 180_000 + EACH * 3000 },
  async (title, described, at) => {
    const row = rowOf(described);
    const numRuns = Math.ceil(EACH * shareOf(described));
    const property = fc.asyncProperty(arbitraryPlans(described, row), async (plan) => {
      await attack.send(described, row, plan);
    });
    const found = await fc.check(property, {
      seed: SEED + at,
      numRuns,
      examples: [[buildPlainPlan(described, row)]],
    });
    const failureText = found.failed
      ? `${title}: ${found.errorInstance}\n${fc.defaultReportMessage(found)}`
      : "";
    if (failureText) findings.push(failureText);
    report();
    expect(found.failed, failureText).toBe(false);
    expect(attack.responseCounts.accepted(title), "a part of the requests is accepted").toBeGreaterThan(0);
  },
);
