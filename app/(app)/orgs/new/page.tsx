import type { Metadata } from "next";
import { OrganizationSetupForm } from "#components/setup/setup-form.tsx";
import { definePage } from "#components/shell/page.tsx";
import { Card } from "#components/ui/card.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { getTranslator } from "#components/i18n/request-translator.ts";
import type { SearchParams } from "#lib/design/query.ts";
import { getActorOrRedirectToSignIn, throwForbidden } from "#lib/http/page.ts";
import { can } from "#lib/operation/policy.ts";
import { setUpOrganizationAction } from "./actions.ts";

export const generateMetadata = async (): Promise<Metadata> => ({
  title: (await getTranslator("setup"))("title"),
});

type Props = { searchParams: Promise<SearchParams> };

/** Sets up an organization and its first event, on one page. */
export default definePage(async function NewOrganization({ searchParams }: Props) {
  const actor = await getActorOrRedirectToSignIn();
  if (!can(actor, "organization.create")) throwForbidden();
  const { after } = await searchParams;
  const t = await getTranslator("setup");
  const organization = await getTranslator("organization");
  return (
    <div className="grid max-w-2xl grid-cols-1 gap-6">
      <PageHeader
        title={t("title")}
        breadcrumbs={[{ label: organization("organizations"), href: "/orgs" }]}
      />
      {after === "first-account" ? (
        <Notice kind="success" title={organization("firstAccount")} live>
          <p>{organization("firstAccount.about")}</p>
        </Notice>
      ) : null}
      <p className="text-muted">{t("lead")}</p>
      <Card>
        <OrganizationSetupForm action={setUpOrganizationAction} user={actor} cancel="/orgs" />
      </Card>
    </div>
  );
});
