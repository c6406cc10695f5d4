import type { Metadata } from "next";
import { EventHeader } from "#components/event/event-header.tsx";
import { type EventOfPage, eventTitle, logoPath } from "#components/event/this-event.ts";
import { page } from "#components/shell/page.tsx";
import { Button } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { Checkbox, DateTimeField, FileField, TextArea, TextField } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { takeFormReturn } from "#lib/api/form-return.ts";
import { mustBeSignedIn, show } from "#lib/api/page.ts";
import type { Query } from "#lib/design/query.ts";
import { showEvent } from "#lib/events/operations.ts";
import { MAX_CODE_OF_CONDUCT } from "#lib/events/schema.ts";
import { MAX_DESCRIPTION, MAX_NAME } from "#lib/organizations/schema.ts";
import { removeLogoAction, saveEventAction } from "./actions.ts";

type Props = { params: Promise<{ slug: string }>; searchParams: Promise<Query> };

export const generateMetadata = ({ params }: Props): Promise<Metadata> => eventTitle(params, "Settings");

/** What the event's public page says, for its Admins. */
export default page(async function EventSettings({ params, searchParams }: Props) {
  const { slug } = await params;
  const actor = await mustBeSignedIn();
  const { event } = await show(showEvent, { slug });
  const wanted = (await searchParams).return;
  const returned = typeof wanted === "string" ? await takeFormReturn(actor.id, wanted) : null;
  return (
    <div className="grid gap-6">
      <EventHeader
        event={event}
        actor={actor}
        current="settings"
        title="Settings"
        meta={<p>{event.name}</p>}
      />
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <Card title="The event">
          <EventForm event={event} />
        </Card>
        <Card title="Logo">
          <Logo event={event} error={returned?.error} />
        </Card>
      </div>
    </div>
  );
});

function EventForm({ event }: { event: EventOfPage }) {
  const minute = (time: string | null) => time?.slice(0, 16);
  return (
    <Form action={saveEventAction} hidden={{ slug: event.slug }} label="The event">
      <TextField name="name" label="Name" defaultValue={event.name} maxLength={MAX_NAME} required />
      <TextField
        name="newSlug"
        label="Address of its page"
        hint="The end of the address /e/…: small letters, digits and hyphens. Old links stop working when it changes."
        defaultValue={event.slug}
        maxLength={63}
        spellCheck={false}
        autoComplete="off"
        required
      />
      <TextArea
        name="description"
        label="Description"
        defaultValue={event.description ?? ""}
        maxLength={MAX_DESCRIPTION}
        count
      />
      <div className="grid gap-6 sm:grid-cols-2">
        <DateTimeField name="startDate" label="Starts" zone="UTC" defaultValue={minute(event.startDate)} />
        <DateTimeField name="endDate" label="Ends" zone="UTC" defaultValue={minute(event.endDate)} />
      </div>
      <TextField
        name="website"
        type="url"
        label="Website"
        defaultValue={event.website ?? ""}
        placeholder="https://"
      />
      <TextField
        name="contactEmail"
        type="email"
        label="E-mail for questions"
        hint="Anybody can read it on the public page."
        defaultValue={event.contactEmail ?? ""}
        autoComplete="off"
      />
      <TextArea
        name="codeOfConduct"
        label="Code of conduct"
        hint="Stands on the public page as you write it, line breaks included."
        defaultValue={event.codeOfConduct ?? ""}
        maxLength={MAX_CODE_OF_CONDUCT}
        rows={10}
        count
      />
      <Checkbox
        name="isActive"
        value="true"
        label="The event is going on, or still to come"
        hint="When it isn't, the public page says that it is over. Its members can still report."
        defaultChecked={event.isActive}
      />
      <FormActions>
        <SubmitButton pendingLabel="Saving…">Save</SubmitButton>
      </FormActions>
    </Form>
  );
}

/** The file goes to a route of its own, since a server action would take it into memory whole. */
function Logo({ event, error }: { event: EventOfPage; error?: string | undefined }) {
  const logo = logoPath(event);
  return (
    <div className="grid gap-4">
      {error && (
        <Notice kind="danger" title="The logo was not taken" live>
          <p>{error}</p>
        </Notice>
      )}
      {logo ? (
        <img
          src={logo}
          alt="The logo as it is now"
          className="max-h-32 max-w-full justify-self-start rounded-control object-contain"
        />
      ) : null}
      {!logo && (
        <p className="text-muted">
          {event.logo
            ? `It is at another address: ${event.logo}. Pages here show only an uploaded one.`
            : "No logo yet."}
        </p>
      )}
      <form
        action={`/e/${event.slug}/settings/logo`}
        method="post"
        encType="multipart/form-data"
        className="grid gap-4"
      >
        <FileField
          name="logo"
          label="New logo"
          hint="PNG, JPEG or WebP, up to 2 MiB and 4096 px a side."
          accept="image/png,image/jpeg,image/webp"
          required
        />
        <div>
          <Button type="submit">Upload</Button>
        </div>
      </form>
      {event.logo && (
        <Form action={removeLogoAction} hidden={{ slug: event.slug }} label="Remove the logo">
          <FormActions>
            <SubmitButton variant="quiet" pendingLabel="Removing…">
              Remove the logo
            </SubmitButton>
          </FormActions>
        </Form>
      )}
    </div>
  );
}
