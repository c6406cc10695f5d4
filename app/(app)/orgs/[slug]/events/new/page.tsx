import type { Metadata } from "next";
import { NameAndSlug } from "#components/organization/name-and-slug.tsx";
import { page } from "#components/shell/page.tsx";
import { LinkButton } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { CopyField } from "#components/ui/copy-field.tsx";
import { TextArea, TextField } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { TextLink } from "#components/ui/link.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { refuse, show } from "#lib/api/page.ts";
import type { Query } from "#lib/design/query.ts";
import { env } from "#lib/env.ts";
import { showPublicEvent } from "#lib/events/operations.ts";
import { MAX_DESCRIPTION, MAX_NAME } from "#lib/organizations/schema.ts";
import { openOrganization, type OrganizationParams, titleOf } from "../../organization.ts";
import { createEventAction } from "./actions.ts";

export const generateMetadata = ({ params }: OrganizationParams): Promise<Metadata> =>
  titleOf(params, "New event");

type Props = OrganizationParams & { searchParams: Promise<Query> };

export default page(async function NewEvent({ params, searchParams }: Props) {
  const { slug } = await params;
  const { organization, may } = await openOrganization(slug);
  if (!may.createEvent) refuse();
  const { created } = await searchParams;
  const breadcrumbs = [
    { label: "Organizations", href: "/orgs" },
    { label: organization.name, href: `/orgs/${slug}` },
  ];
  if (typeof created === "string") {
    const { event } = await show(showPublicEvent, { slug: created });
    return <Created event={event} breadcrumbs={breadcrumbs} />;
  }
  return (
    <div className="grid max-w-2xl gap-6">
      <PageHeader title="New event" breadcrumbs={breadcrumbs} />
      <p className="text-muted">
        The admins of {organization.name} get the Admin role in it. Everybody else comes in by invite, one
        event at a time.
      </p>
      <Card>
        <EventForm organization={slug} />
      </Card>
    </div>
  );
});

function EventForm({ organization }: { organization: string }) {
  return (
    <Form action={createEventAction} hidden={{ organization }} label="New event">
      <NameAndSlug nameLabel="Name" maxName={MAX_NAME} path="/e/" />
      <TextArea
        name="description"
        label="Description"
        hint="Shown on the event's public page."
        maxLength={MAX_DESCRIPTION}
        rows={3}
        count
      />
      <div className="grid gap-6 sm:grid-cols-2">
        <TextField name="startDate" type="date" label="First day" min="1900-01-01" max="2100-12-31" />
        <TextField name="endDate" type="date" label="Last day" min="1900-01-01" max="2100-12-31" />
      </div>
      <TextField
        name="website"
        type="url"
        label="Website"
        placeholder="https://example.org"
        maxLength={500}
        autoComplete="off"
      />
      <TextField
        name="contactEmail"
        type="email"
        label="Contact address"
        hint="Shown on the event's public page, for those who would rather write."
        maxLength={254}
        autoComplete="off"
      />
      <FormActions>
        <SubmitButton pendingLabel="Creating…">Create event</SubmitButton>
        <LinkButton href={`/orgs/${organization}`} variant="quiet">
          Cancel
        </LinkButton>
      </FormActions>
    </Form>
  );
}

type CreatedProps = { event: { name: string; slug: string }; breadcrumbs: { label: string; href: string }[] };

/** What to do with a new event. */
function Created({ event: { name, slug }, breadcrumbs }: CreatedProps) {
  return (
    <div className="grid max-w-2xl gap-6">
      <PageHeader title={`${name} is created`} breadcrumbs={breadcrumbs} />
      <Card title="Its public page">
        <div className="grid gap-4">
          <p className="text-muted">
            Give this link to the people at the event: on the website, in the code of conduct, on the badges.
            It says who reads a report, and how to send one.
          </p>
          <CopyField label="Public link" value={`${env().baseUrl}/e/${slug}`} />
        </div>
      </Card>
      <Card title="What comes next">
        <ul className="grid">
          <Next href={`/e/${slug}/team`} label="Invite the team">
            so that somebody reads the reports
          </Next>
          <Next href={`/e/${slug}/settings`} label="Write the code of conduct">
            and say how to reach you
          </Next>
          <Next href={`/e/${slug}`} label="Look at the public page">
            as those at the event see it
          </Next>
        </ul>
      </Card>
    </div>
  );
}

function Next({ href, label, children }: { href: string; label: string; children: string }) {
  return (
    <li className="flex flex-wrap items-center gap-x-2">
      <TextLink href={href} className="inline-flex min-h-11 items-center">
        {label}
      </TextLink>
      <span className="text-muted">{children}</span>
    </li>
  );
}
