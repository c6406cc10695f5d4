import type { Metadata } from "next";
import { NameAndSlug } from "#components/organization/name-and-slug.tsx";
import { page } from "#components/shell/page.tsx";
import { LinkButton } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { TextArea, TextField } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { mustBeSignedIn, refuse } from "#lib/api/page.ts";
import { MAX_DESCRIPTION, MAX_NAME } from "#lib/organizations/schema.ts";
import { can } from "#lib/policy.ts";
import { createOrganizationAction } from "./actions.ts";

export const metadata: Metadata = { title: "New organization" };

export default page(async function NewOrganization() {
  if (!can(await mustBeSignedIn(), "organization.create")) refuse();
  return (
    <div className="grid max-w-2xl gap-6">
      <PageHeader title="New organization" breadcrumbs={[{ label: "Organizations", href: "/orgs" }]} />
      <p className="text-muted">
        You don&apos;t become a member yourself. Once it is created you get an invite link, which makes
        whoever opens it first the organization&apos;s admin.
      </p>
      <Card>
        <Form action={createOrganizationAction} label="New organization">
          <NameAndSlug nameLabel="Name" maxName={MAX_NAME} path="/orgs/" />
          <TextArea name="description" label="Description" maxLength={MAX_DESCRIPTION} rows={3} count />
          <TextField
            name="website"
            type="url"
            label="Website"
            placeholder="https://example.org"
            maxLength={500}
            autoComplete="off"
          />
          <FormActions>
            <SubmitButton pendingLabel="Creating…">Create organization</SubmitButton>
            <LinkButton href="/orgs" variant="quiet">
              Cancel
            </LinkButton>
          </FormActions>
        </Form>
      </Card>
    </div>
  );
});
