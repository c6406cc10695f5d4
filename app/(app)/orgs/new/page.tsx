import type { Metadata } from "next";
import { useWords } from "#words";
import { NameAndSlug } from "#components/organization/name-and-slug.tsx";
import { page } from "#components/shell/page.tsx";
import { LinkButton } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { TextArea, TextField } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { ClientWords } from "#components/words/client-words.tsx";
import { pageWords } from "#components/words/page-words.ts";
import { mustBeSignedIn, refuse } from "#lib/http/page.ts";
import { MAX_DESCRIPTION, MAX_NAME } from "#lib/organizations/schema.ts";
import { can } from "#lib/operation/policy.ts";
import { createOrganizationAction } from "./actions.ts";

const EXAMPLE_SITE = "https://example.org";

export const generateMetadata = async (): Promise<Metadata> => ({
  title: (await pageWords("organization"))("newOrganization"),
});

export default page(async function NewOrganization() {
  if (!can(await mustBeSignedIn(), "organization.create")) refuse();
  const t = useWords("organization");
  return (
    <div className="grid max-w-2xl gap-6">
      <PageHeader title={t("newOrganization")} breadcrumbs={[{ label: t("organizations"), href: "/orgs" }]} />
      <p className="text-muted">{t("newOrganization.about")}</p>
      <Card>
        <OrganizationForm />
      </Card>
    </div>
  );
});

function OrganizationForm() {
  const t = useWords("organization");
  return (
    <Form action={createOrganizationAction} label={t("newOrganization")}>
      <ClientWords of={["nameAndSlug"]}>
        <NameAndSlug maxName={MAX_NAME} path="/orgs/" />
      </ClientWords>
      <TextArea name="description" label={t("description")} maxLength={MAX_DESCRIPTION} rows={3} count />
      <TextField
        name="website"
        type="url"
        label={t("website")}
        placeholder={EXAMPLE_SITE}
        maxLength={500}
        autoComplete="off"
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
