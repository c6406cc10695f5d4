import { expect, test } from "vitest";
import { POLICY } from "#lib/operation/policy.ts";
import { describeCallers } from "./openapi-callers.ts";

test("who may call an operation follows from its row of the policy", () => {
  expect(describeCallers(POLICY["event.viewPublic"])).toBe("Anyone may call it, also without a session.");
  expect(describeCallers(POLICY["admin.resetSecondFactor"])).toBe("For SystemAdmin. No token is accepted.");
  expect(describeCallers(POLICY["incident.view"])).toBe(
    "For Responder and Admin of the event; Reporter on own reports; SystemAdmin. Also for service tokens.",
  );
  expect(describeCallers(POLICY["organization.export"])).toBe(
    "For org_admin and org_viewer of the organization; SystemAdmin. Also for service tokens and tokens for exports.",
  );
});
