import { cache } from "react";
import { getTranslator } from "#components/i18n/request-translator.ts";
import type { OrganizationPageKey } from "#components/organization/organization-header.tsx";
import type { SearchParams } from "#lib/design/query.ts";
import { getActorOrRedirectToSignIn, loadPageData } from "#lib/http/page.ts";
import { showOrganization } from "#lib/organizations/operations.ts";
import { can } from "#lib/operation/policy.ts";

/**
 * Loads the organization of a page, the viewer, and what they may do there. Cached, so that several calls in
 * one request read it once.
 */
export const loadOrganizationPage = cache(async (slug: string) => {
  const actor = await getActorOrRedirectToSignIn();
  const { organization } = await loadPageData(showOrganization, { orgSlug: slug });
  const at = { organizationId: organization.id };
  return {
    organization,
    actor,
    may: {
      belong: actor.organizations.some(({ organizationId }) => organizationId === organization.id),
      edit: can(actor, "organization.update", at),
      manageMembers: can(actor, "organization.manageMembers", at),
      invite: can(actor, "organization.manageInvites", at),
      createEvent: can(actor, "organization.createEvent", at),
      manageWebhooks: can(actor, "organization.manageWebhooks", at),
      manageTokens: can(actor, "organization.manageTokens", at),
      viewAudit: can(actor, "organization.viewAudit", at),
      delete: can(actor, "organization.delete", at),
      seeInitialInvite: can(actor, "organization.initialInvite", at),
    },
  };
});

export type OrganizationPageProps = {
  params: Promise<{ slug: string }>;
  searchParams: Promise<SearchParams>;
};

/**
 * Returns the title of an organization page: "People · Harbour Foundation". If the viewer can't see it, the
 * page says so and the title doesn't name it.
 */
export async function loadOrganizationPageMetadata(
  params: OrganizationPageProps["params"],
  page?: OrganizationPageKey | "newEvent",
): Promise<{ title: string }> {
  const { slug } = await params;
  const t = await getTranslator("organization");
  const name = await loadOrganizationPage(slug).then(
    ({ organization }) => organization.name,
    () => t("organizations"),
  );
  return { title: page ? `${t(page === "newEvent" ? "newEvent" : `tab.${page}`)} · ${name}` : name };
}
