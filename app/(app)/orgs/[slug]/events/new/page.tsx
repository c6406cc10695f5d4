import type { Metadata } from "next";
import { useTranslator } from "#i18n";
import { EventDetailFields } from "#components/event/event-fields.tsx";
import { NameAndSlugFields } from "#components/organization/name-and-slug.tsx";
import { LocalAddressNotice } from "#components/shell/local-address-notice.tsx";
import { definePage } from "#components/shell/page.tsx";
import type { BreadcrumbItem } from "#components/ui/breadcrumbs.tsx";
import { LinkButton } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { CopyField } from "#components/ui/copy-field.tsx";
import { Checkbox } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { TextLink } from "#components/ui/link.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { ClientMessagesProvider } from "#components/i18n/client-messages.tsx";
import { throwForbidden, loadPageData } from "#lib/http/page.ts";
import { env } from "#lib/env.ts";
import { showPublicEvent } from "#lib/events/operations.ts";
import { MAX_ORG_OR_EVENT_NAME_LENGTH } from "#lib/organizations/schema.ts";
import {
  loadOrganizationPage,
  type OrganizationPageProps,
  loadOrganizationPageMetadata,
} from "../../organization.ts";
import { createEventAction } from "./actions.ts";

export const generateMetadata = ({ params }: OrganizationPageProps): Promise<Metadata> =>
  loadOrganizationPageMetadata(params, "newEvent");

export default definePage(async function NewEvent({ params, searchParams }: OrganizationPageProps) {
  const { slug } = await params;
  const { organization, may } = await loadOrganizationPage(slug);
  if (!may.createEvent) throwForbidden();
  const { created } = await searchParams;
  const t = useTranslator("organization");
  const breadcrumbs = [
    { label: t("organizations"), href: "/orgs" },
    { label: organization.name, href: `/orgs/${slug}` },
    { label: t("tab.events"), href: `/orgs/${slug}/events` },
  ];
  if (typeof created === "string") {
    const { event } = await loadPageData(showPublicEvent, { slug: created });
    return <CreatedEvent event={event} breadcrumbs={breadcrumbs} />;
  }
  return (
    <div className="grid max-w-2xl grid-cols-1 gap-6">
      <PageHeader title={t("newEvent")} breadcrumbs={breadcrumbs} />
      <p className="text-muted wrap-anywhere">{t("newEvent.about", { organization: organization.name })}</p>
      <Card>
        <NewEventForm organization={slug} />
      </Card>
    </div>
  );
});

function NewEventForm({ organization }: { organization: string }) {
  const t = useTranslator("organization");
  return (
    <Form action={createEventAction} hidden={{ organization }} label={t("newEvent")}>
      <ClientMessagesProvider of={["nameAndSlug"]}>
        <NameAndSlugFields maxName={MAX_ORG_OR_EVENT_NAME_LENGTH} path="/e/" />
      </ClientMessagesProvider>
      <EventDetailFields guessZone />
      <Checkbox
        name="hideTeam"
        value="true"
        label={t("newEvent.hideTeam")}
        hint={t("newEvent.hideTeamHint")}
      />
      <FormActions>
        <SubmitButton pendingLabel={t("creating")}>{t("createEvent")}</SubmitButton>
        <LinkButton href={`/orgs/${organization}/events`} variant="quiet">
          {t("cancel")}
        </LinkButton>
      </FormActions>
    </Form>
  );
}

type CreatedProps = { event: { name: string; slug: string }; breadcrumbs: BreadcrumbItem[] };

/** Next steps for a new event. */
function CreatedEvent({ event: { name, slug }, breadcrumbs }: CreatedProps) {
  const t = useTranslator("organization");
  return (
    <div className="grid max-w-2xl grid-cols-1 gap-6">
      <PageHeader title={t("created.title", { name })} breadcrumbs={breadcrumbs} />
      <LocalAddressNotice />
      <Card title={t("created.page")}>
        <div className="grid gap-4">
          <p className="text-muted">{t("created.page.about")}</p>
          <CopyField label={t("created.link")} value={`${env().baseUrl}/e/${slug}`} />
        </div>
      </Card>
      <Card title={t("created.next")}>
        <ul className="grid">
          <NextStepItem href={`/e/${slug}/team`} label={t("created.team")}>
            {t("created.team.about")}
          </NextStepItem>
          <NextStepItem href={`/e/${slug}/settings`} label={t("created.conduct")}>
            {t("created.conduct.about")}
          </NextStepItem>
          <NextStepItem href={`/e/${slug}`} label={t("created.view")}>
            {t("created.view.about")}
          </NextStepItem>
        </ul>
      </Card>
    </div>
  );
}

function NextStepItem({ href, label, children }: { href: string; label: string; children: string }) {
  return (
    <li className="flex flex-wrap items-center gap-x-2">
      <TextLink href={href} className="inline-flex min-h-11 items-center">
        {label}
      </TextLink>
      <span className="text-muted">{children}</span>
    </li>
  );
}
