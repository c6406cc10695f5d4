import type { ReactNode } from "react";
import { useTranslator } from "#i18n";
import { EmailAddressesField } from "#components/invite/invite-by-email.tsx";
import { Checkbox, SelectField, TextArea, TextField } from "#components/ui/field.tsx";
import { FormFieldsDisclosure } from "#components/ui/form-fields-disclosure.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { LinkButton } from "#components/ui/button.tsx";
import { TimeZoneField } from "#components/ui/time-zone-field.tsx";
import { MAX_SLUG_LENGTH } from "#lib/design/slug.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { CONDUCT_TEXTS } from "#lib/events/conduct-texts.ts";
import { EXAMPLE_WEBSITE, MAX_CODE_OF_CONDUCT_LENGTH } from "#lib/events/schema.ts";
import { sealWriterIdAsFormTicket } from "#lib/http/form-drafts.ts";
import { MAX_PHONE_LENGTH } from "#lib/operation/fields.ts";
import {
  MAX_ORG_OR_EVENT_DESCRIPTION_LENGTH,
  MAX_ORG_OR_EVENT_NAME_LENGTH,
} from "#lib/organizations/schema.ts";
import { DEFAULT_ANSWER_WITHIN_HOURS } from "#lib/setup/schema.ts";

/** The forms that open an event: with its organization, in one that exists, and as a copy of an earlier event. */

type Action = (state: FormState, form: FormData) => Promise<FormState>;

type FormProps = {
  action: Action;
  /** Who fills it in. */
  user: { id: string; email: string };
  /** Where "Cancel" leads. */
  cancel: string;
  hidden?: Record<string, string>;
};

/** Sets up an organization with its first event. */
export function OrganizationSetupForm(props: FormProps) {
  const t = useTranslator("setup");
  const { email } = props.user;
  return (
    <SetupForm {...props} label={t("title")}>
      <Section title={t("event")}>
        <NameField />
        <OrganizationNameField />
        <DayFields />
      </Section>
      <Section title={t("forReporters")}>
        <ReporterFields contactEmail={email} />
      </Section>
      <Section title={t("readers")}>
        <EmailAddressesField name="teamEmails" label={t("team")} hint={t("team.about")} />
        <EmailField name="outsidePersonEmail" label={t("outsidePerson")} hint={t("outsidePerson.about")} />
      </Section>
      <FormFieldsDisclosure summary={t("more")} names={[...MORE_FIELDS, "organizationSlug"]}>
        <div className="grid gap-6">
          <Checkbox name="manage" label={t("manage")} hint={t("manage.about")} defaultChecked />
          <MoreEventFields />
          <SlugField name="organizationSlug" label={t("organizationSlug")} />
        </div>
      </FormFieldsDisclosure>
      <Defaults readers={t("defaults.readers")} />
    </SetupForm>
  );
}

/** Sets up an event of an organization. */
export function EventSetupForm(props: FormProps) {
  const t = useTranslator("setup");
  return (
    <SetupForm {...props} label={t("titleEvent")}>
      <Section title={t("event")}>
        <NameField />
        <DayFields />
      </Section>
      <Section title={t("forReporters")}>
        <ReporterFields contactEmail={props.user.email} />
      </Section>
      <Section title={t("readers")}>
        <EmailAddressesField name="teamEmails" label={t("team")} hint={t("team.about")} />
      </Section>
      <FormFieldsDisclosure summary={t("moreEvent")} names={MORE_FIELDS}>
        <div className="grid gap-6">
          <MoreEventFields />
        </div>
      </FormFieldsDisclosure>
      <Defaults readers={t("defaults.readersEvent")} />
    </SetupForm>
  );
}

type CopyProps = FormProps & { event: { id: string; timeZone: string | null } };

/** Sets up an event as a copy, whose name and days are new. */
export function EventCopyForm({ event, ...props }: CopyProps) {
  const t = useTranslator("setup");
  const hidden = { ...props.hidden, copyFromEventId: event.id, timeZone: event.timeZone ?? "" };
  return (
    <SetupForm {...props} hidden={hidden} label={t("titleEvent")}>
      <NameField />
      <DayFields />
      <EmailAddressesField name="teamEmails" label={t("team.more")} hint={t("team.about")} />
    </SetupForm>
  );
}

function SetupForm({
  action,
  user,
  cancel,
  hidden,
  label,
  children,
}: FormProps & { label: string; children: ReactNode }) {
  const t = useTranslator("setup");
  const organization = useTranslator("organization");
  return (
    <Form
      action={action}
      hidden={{ ...hidden, ticket: sealWriterIdAsFormTicket(user.id), sendOnce: "true" }}
      label={label}
    >
      {children}
      <FormActions>
        <SubmitButton pendingLabel={t("submitting")}>{t("submit")}</SubmitButton>
        <LinkButton href={cancel} variant="quiet">
          {organization("cancel")}
        </LinkButton>
      </FormActions>
    </Form>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <fieldset className="grid min-w-0 gap-6">
      <legend className="mb-4 text-xl font-[650]">{title}</legend>
      {children}
    </fieldset>
  );
}

function NameField() {
  const t = useTranslator("setup");
  return (
    <TextField
      name="name"
      label={t("name")}
      maxLength={MAX_ORG_OR_EVENT_NAME_LENGTH}
      autoComplete="off"
      required
    />
  );
}

function OrganizationNameField() {
  const t = useTranslator("setup");
  return (
    <TextField
      name="organizationName"
      label={t("organizationName")}
      hint={t("organizationName.about")}
      maxLength={MAX_ORG_OR_EVENT_NAME_LENGTH}
      autoComplete="organization"
    />
  );
}

function DayFields() {
  const t = useTranslator("organization");
  const day = { type: "date", min: "1900-01-01", max: "2100-12-31" } as const;
  return (
    <div className="grid gap-6 sm:grid-cols-2">
      <TextField {...day} name="startDate" label={t("startDate")} />
      <TextField {...day} name="endDate" label={t("endDate")} />
    </div>
  );
}

type EmailFieldProps = { name: string; label: string; hint: string; defaultValue?: string };

function EmailField(props: EmailFieldProps) {
  return <TextField {...props} type="email" maxLength={254} autoComplete="off" />;
}

function ReporterFields({ contactEmail }: { contactEmail: string }) {
  const t = useTranslator("setup");
  const organization = useTranslator("organization");
  const event = useTranslator("eventAdmin");
  return (
    <>
      <SelectField
        name="conduct"
        label={event("settings.codeOfConduct")}
        hint={t("conduct.about")}
        options={CONDUCT_TEXTS.map(({ id, ...text }) => ({ value: id, label: t("conduct.choice", text) }))}
        prompt={t("conduct.later")}
        defaultValue={CONDUCT_TEXTS[0].id}
        markOptional={false}
      />
      <EmailField
        name="contactEmail"
        label={organization("contactEmail")}
        hint={organization("contactEmail.about")}
        defaultValue={contactEmail}
      />
      <TextField
        name="emergencyNumber"
        type="tel"
        label={event("settings.emergencyNumber")}
        hint={event("settings.emergencyNumberHint")}
        maxLength={MAX_PHONE_LENGTH}
        autoComplete="off"
      />
    </>
  );
}

/** The fields of `MoreEventFields` that can be refused. */
const MORE_FIELDS = ["codeOfConduct", "description", "website", "timeZone", "slug"];

function MoreEventFields() {
  const t = useTranslator("setup");
  const organization = useTranslator("organization");
  return (
    <>
      <TextArea
        name="codeOfConduct"
        label={t("conduct.own")}
        hint={t("conduct.own.about")}
        maxLength={MAX_CODE_OF_CONDUCT_LENGTH}
        rows={6}
        count
      />
      <TextArea
        name="description"
        label={organization("description")}
        hint={organization("event.description.about")}
        maxLength={MAX_ORG_OR_EVENT_DESCRIPTION_LENGTH}
        rows={3}
        count
      />
      <TextField
        name="website"
        type="url"
        label={organization("website")}
        placeholder={EXAMPLE_WEBSITE}
        maxLength={500}
        autoComplete="off"
      />
      <TimeZoneField hint={organization("event.timeZone.about")} guess />
      <Checkbox
        name="hideTeam"
        label={organization("newEvent.hideTeam")}
        hint={organization("newEvent.hideTeamHint")}
      />
      <SlugField name="slug" label={t("slug")} />
    </>
  );
}

function SlugField(props: { name: string; label: string }) {
  const t = useTranslator("setup");
  return (
    <TextField
      {...props}
      hint={t("slug.about")}
      maxLength={MAX_SLUG_LENGTH}
      autoComplete="off"
      spellCheck={false}
    />
  );
}

/** What the event begins with, in words. */
function Defaults({ readers }: { readers: string }) {
  const t = useTranslator("setup");
  return (
    <section aria-labelledby="defaults" className="grid gap-2 rounded-control bg-sunken p-4">
      <h2 id="defaults" className="text-base font-[650]">
        {t("defaults")}
      </h2>
      <ul className="grid list-disc gap-1 ps-5">
        <li>{t("defaults.report")}</li>
        <li>{t("defaults.answer", { hours: DEFAULT_ANSWER_WITHIN_HOURS })}</li>
        <li>{readers}</li>
        <li>{t("defaults.team")}</li>
      </ul>
      <p className="text-muted">{t("defaults.change")}</p>
    </section>
  );
}
