/** Paths of records whose `ETag` is taken by `If-Match` and `If-None-Match`, and of no others (contract 3.16). */
export const TAGGED = [
  "/api/admin/settings",
  ...["/api/events/:eventId", "/api/events/slug/:slug"].flatMap((event) => [
    event,
    `${event}/incidents/:incidentId`,
    `${event}/report-settings`,
  ]),
  "/api/organizations/:organizationId",
  "/api/organizations/slug/:orgSlug",
];
