import { SIGNED_IN } from "#e2e/api/roles.ts";
import type { Row } from "#e2e/api/routes.ts";

/** Rows for reports that nobody on the response team may read (contract 16.7). */
export const OUTSIDE_PERSON_ROWS: Row[] = [
  { method: "GET", path: "/api/users/me/outside-incidents", who: SIGNED_IN, status: 200, beyond: true },
  ...["/api/organizations/:organizationId", "/api/organizations/slug/:orgSlug"].flatMap((path): Row[] => [
    {
      method: "GET",
      path: `${path}/outside-person`,
      who: ["viktor", "olga", "sam"],
      status: 200,
      beyond: true,
    },
    {
      method: "PUT",
      path: `${path}/outside-person`,
      who: ["olga", "sam"],
      status: 200,
      body: "json",
      beyond: true,
      example: () => ({ body: { userId: null } }),
    },
  ]),
];
