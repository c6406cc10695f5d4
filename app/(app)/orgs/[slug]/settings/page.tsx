import { Trash2, Upload } from "lucide-react";
import type { Metadata } from "next";
import { OrganizationHead } from "#components/organization/organization-head.tsx";
import { page } from "#components/shell/page.tsx";
import { Button } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { FileField, TextArea, TextField } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { refuse } from "#lib/api/page.ts";
import type { Query } from "#lib/design/query.ts";
import { MAX_DESCRIPTION, MAX_NAME } from "#lib/organizations/schema.ts";
import { openOrganization, type OrganizationParams, titleOf } from "../organization.ts";
import { deleteOrganizationAction, updateOrganizationAction } from "./actions.ts";

export const generateMetadata = ({ params }: OrganizationParams): Promise<Metadata> =>
  titleOf(params, "Settings");

type Props = OrganizationParams & { searchParams: Promise<Query> };

export default page(async function Settings({ params, searchParams }: Props) {
  const { slug } = await params;
  const { organization, may } = await openOrganization(slug);
  if (!may.edit) refuse();
  const { logo } = await searchParams;
  return (
    <div className="grid gap-6">
      <OrganizationHead organization={organization} current="settings" may={may} />
      <div className="grid max-w-2xl gap-6">
        <Details organization={organization} />
        <Logo organization={organization} outcome={typeof logo === "string" ? logo : undefined} />
        {may.delete && <Delete organization={organization} />}
      </div>
    </div>
  );
});

type Organization = {
  name: string;
  slug: string;
  description: string | null;
  website: string | null;
  logoUrl: string | null;
};

function Details({ organization }: { organization: Organization }) {
  return (
    <Card title="Details">
      <Form action={updateOrganizationAction} hidden={{ organization: organization.slug }} label="Details">
        <TextField
          name="name"
          label="Name"
          defaultValue={organization.name}
          maxLength={MAX_NAME}
          autoComplete="off"
          required
        />
        <TextArea
          name="description"
          label="Description"
          defaultValue={organization.description ?? undefined}
          maxLength={MAX_DESCRIPTION}
          rows={3}
          count
        />
        <TextField
          name="website"
          type="url"
          label="Website"
          defaultValue={organization.website ?? undefined}
          placeholder="https://example.org"
          maxLength={500}
          autoComplete="off"
        />
        <FormActions>
          <SubmitButton pendingLabel="Saving…">Save details</SubmitButton>
        </FormActions>
      </Form>
    </Card>
  );
}

/** A plain form to a route of its own: a file doesn't fit through a server action. */
function Logo({ organization, outcome }: { organization: Organization; outcome: string | undefined }) {
  const failed = outcome !== undefined && outcome !== "saved";
  return (
    <Card title="Logo" id="logo">
      <form
        method="post"
        action={`/orgs/${organization.slug}/settings/logo`}
        encType="multipart/form-data"
        aria-label="Logo"
        className="grid gap-5"
      >
        {outcome === "saved" && (
          <Notice kind="success" live>
            <p>The logo is saved.</p>
          </Notice>
        )}
        {organization.logoUrl ? (
          <img
            src={organization.logoUrl}
            alt={`Logo of ${organization.name}`}
            className="max-h-28 max-w-full justify-self-start rounded-control border border-line bg-surface object-contain p-2"
          />
        ) : (
          <p className="text-muted">No logo yet.</p>
        )}
        <FileField
          name="logo"
          label={organization.logoUrl ? "Another picture" : "Picture"}
          hint="PNG, JPEG or WebP, up to 2 MB and 4096 pixels a side. It is public: invites and event pages show it."
          accept="image/png,image/jpeg,image/webp"
          error={failed ? logoProblem(outcome) : undefined}
          required
        />
        <FormActions>
          <Button type="submit" icon={Upload}>
            Save logo
          </Button>
        </FormActions>
      </form>
    </Card>
  );
}

function logoProblem(code: string): string {
  return Object.hasOwn(LOGO_PROBLEMS, code)
    ? LOGO_PROBLEMS[code as keyof typeof LOGO_PROBLEMS]
    : "The logo could not be saved. Please try again.";
}

const LOGO_PROBLEMS = {
  VALIDATION_ERROR: "Choose a picture first.",
  PAYLOAD_TOO_LARGE: "This file is larger than 2 MB. Choose a smaller one.",
  IMAGE_TOO_LARGE: "This picture has more than 4096 pixels a side. Choose a smaller one.",
  UNSUPPORTED_FILE_TYPE: "This isn't a PNG, JPEG or WebP picture, whatever its name says.",
  RATE_LIMITED: "Too many files in a short time. Please wait a little.",
  STORAGE_UNAVAILABLE: "Files can't be stored right now. Please try again later.",
  FORBIDDEN: "Your roles here don't allow this any more.",
};

function Delete({ organization }: { organization: Organization }) {
  return (
    <Card title="Delete the organization">
      <div className="grid gap-4">
        <p className="text-muted">
          Its events, every report in them, their files, teams and invites are deleted with it, for good. Only
          the audit log keeps that it was done, and by whom.
        </p>
        <div>
          <Form
            action={deleteOrganizationAction}
            hidden={{ organization: organization.slug, expected: organization.name }}
            label="Delete the organization"
            dialog={{ trigger: "Delete…", variant: "danger", title: `Delete ${organization.name}?` }}
          >
            <p>
              This can&apos;t be undone. To go on, type the name of the organization:{" "}
              <strong className="break-words">{organization.name}</strong>
            </p>
            <TextField
              name="confirmation"
              label="Name of the organization"
              autoComplete="off"
              spellCheck={false}
              required
            />
            <FormActions>
              <SubmitButton variant="danger" pendingLabel="Deleting…">
                <Icon as={Trash2} /> Delete for good
              </SubmitButton>
            </FormActions>
          </Form>
        </div>
      </div>
    </Card>
  );
}
