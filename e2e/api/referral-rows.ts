import { SIGNED_IN } from "#e2e/api/roles.ts";
import type { Row } from "#e2e/api/routes.ts";

/** Rows for reports that nobody on the response team may read (contract 16.7). */
export const REFERRAL_ROWS: Row[] = [
  { method: "GET", path: "/api/users/me/referrals", who: SIGNED_IN, status: 200, beyond: true },
  ...["/api/organizations/:organizationId", "/api/organizations/slug/:orgSlug"].flatMap((path): Row[] => [
    {
      method: "GET",
      path: `${path}/escalation-contact`,
      who: ["viktor", "olga", "sam"],
      status: 200,
      beyond: true,
    },
    {
      method: "PUT",
      path: `${path}/escalation-contact`,
      who: ["olga", "sam"],
      status: 200,
      body: "json",
      beyond: true,
      example: () => ({ body: { userId: null } }),
    },
  ]),
];
