import type { OrganizationRole } from "#lib/policy.ts";

/** The roles of an organization, in the words of those who give and take them. */
export const ORGANIZATION_ROLES: Record<OrganizationRole, { name: string; about: string }> = {
  org_admin: {
    name: "Admin",
    about:
      "Manages the organization, its members and its events. What reports say stays with the teams of the events.",
  },
  org_viewer: {
    name: "Viewer",
    about: "Sees the organization's events and numbers, not what reports say.",
  },
};

/** As a select or radio group offers them; the lesser one first. */
export const ROLE_OPTIONS = (["org_viewer", "org_admin"] as const).map((value) => ({
  value,
  label: ORGANIZATION_ROLES[value].name,
  hint: ORGANIZATION_ROLES[value].about,
}));
