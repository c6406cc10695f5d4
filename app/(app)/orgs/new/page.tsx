import type { Metadata } from "next";
import { useTranslator } from "#i18n";
import { NameAndSlugFields } from "#components/organization/name-and-slug.tsx";
import { definePage } from "#components/shell/page.tsx";
import { LinkButton } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { Checkbox, TextArea, TextField } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { ClientMessagesProvider } from "#components/i18n/client-messages.tsx";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { getActorOrRedirectToSignIn, loadPageData, throwForbidden } from "#lib/http/page.ts";
import {
  MAX_ORG_OR_EVENT_DESCRIPTION_LENGTH,
  MAX_ORG_OR_EVENT_NAME_LENGTH,
} from "#lib/organizations/schema.ts";
import { listOrganizations } from "#lib/organizations/operations.ts";
import { can } from "#lib/operation/policy.ts";
import { createOrganizationAction } from "./actions.ts";

const EXAMPLE_SITE = "https://example.org";

export const generateMetadata = async (): Promise<Metadata> => ({
  title: (await getTranslator("organization"))("newOrganization"),
});

export default definePage(async function NewOrganization() {
  if (!can(await getActorOrRedirectToSignIn(), "organization.create")) throwForbidden();
  const { pagination } = await loadPageData(listOrganizations, {}, { limit: "1" });
  const t = await getTranslator("organization");
  return (
    <div className="grid max-w-2xl gap-6">
      <PageHeader title={t("newOrganization")} breadcrumbs={[{ label: t("organizations"), href: "/orgs" }]} />
      <p className="text-muted">{t("newOrganization.about")}</p>
      <Card>
        <OrganizationForm isFirst={pagination.total === 0} />
      </Card>
    </div>
  );
});

/** Whoever sets up the installation's first organization usually runs it. */
function OrganizationForm({ isFirst }: { isFirst: boolean }) {
  const t = useTranslator("organization");
  return (
    <Form action={createOrganizationAction} label={t("newOrganization")}>
      <ClientMessagesProvider of={["nameAndSlug"]}>
        <NameAndSlugFields maxName={MAX_ORG_OR_EVENT_NAME_LENGTH} path="/orgs/" />
      </ClientMessagesProvider>
      <TextArea
        name="description"
        label={t("description")}
        maxLength={MAX_ORG_OR_EVENT_DESCRIPTION_LENGTH}
        rows={3}
        count
      />
      <TextField
        name="website"
        type="url"
        label={t("website")}
        placeholder={EXAMPLE_SITE}
        maxLength={500}
        autoComplete="off"
      />
      <Checkbox
        name="joinAsAdmin"
        label={t("joinAsAdmin")}
        hint={t("joinAsAdmin.about")}
        defaultChecked={isFirst}
      />
      <FormActions>
        <SubmitButton pendingLabel={t("creating")}>{t("createOrganization")}</SubmitButton>
        <LinkButton href="/orgs" variant="quiet">
          {t("cancel")}
        </LinkButton>
      </FormActions>
    </Form>
  );
}
