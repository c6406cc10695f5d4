import type { z } from "zod";
import { useTranslator } from "#i18n";
import { definePage } from "#components/shell/page.tsx";
import { SystemHeader } from "#components/system/system-header.tsx";
import { createSystemPageMetadataLoader } from "#components/system/system-metadata.ts";
import { Card } from "#components/ui/card.tsx";
import { RadioGroup, TextField } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { showSettings } from "#lib/admin/operations.ts";
import { MAX_SERVICE_NAME_LENGTH, type SystemSettingsOutput } from "#lib/settings/schema.ts";
import { getActorOrRedirectToSignIn, loadPageData } from "#lib/http/page.ts";
import { saveSystemSettingsAction, sendTestMailAction } from "./actions.ts";

export const generateMetadata = createSystemPageMetadataLoader("settings");

/** Settings of the whole installation. */
export default definePage(async function SystemSettings() {
  const actor = await getActorOrRedirectToSignIn();
  const settings = await loadPageData(showSettings);
  return (
    <div className="grid gap-6">
      <SystemHeader current="settings" />
      <div className="grid max-w-2xl gap-6">
        <SystemSettingsForm settings={settings} />
        <TestMailForm placeholder={actor.email} />
      </div>
    </div>
  );
});

type SettingsProps = { settings: z.output<typeof SystemSettingsOutput> };

function SystemSettingsForm({ settings }: SettingsProps) {
  const t = useTranslator("system");
  const currentValues = toFormFields(settings);
  return (
    <Card title={t("settings")}>
      <Form
        action={saveSystemSettingsAction}
        hidden={{ ifMatch: settings.version }}
        label={t("settings")}
        versions={{
          fields: [
            {
              name: "registration",
              label: t("registration"),
              theirs: settings.registration,
              valueLabels: { open: t("registrationOpen"), invite: t("registrationInvite") },
            },
            { name: "name", label: t("serviceName"), theirs: currentValues.name },
            { name: "supportContact", label: t("supportContact"), theirs: currentValues.supportContact },
          ],
        }}
      >
        <SystemSettingsFields settings={settings} />
        <FormActions>
          <SubmitButton pendingLabel={t("saving")}>{t("save")}</SubmitButton>
        </FormActions>
      </Form>
    </Card>
  );
}

function SystemSettingsFields({ settings }: SettingsProps) {
  const t = useTranslator("system");
  const currentValues = toFormFields(settings);
  return (
    <>
      <RadioGroup
        name="registration"
        label={t("registration")}
        defaultValue={settings.registration}
        markOptional={false}
        options={[
          { value: "open", label: t("registrationOpen"), hint: t("registrationOpenAbout") },
          { value: "invite", label: t("registrationInvite"), hint: t("registrationInviteAbout") },
        ]}
      />
      <TextField
        name="name"
        label={t("serviceName")}
        hint={t("serviceNameAbout", { fallback: settings.defaults.name })}
        defaultValue={currentValues.name}
        maxLength={MAX_SERVICE_NAME_LENGTH}
        autoComplete="off"
      />
      <TextField
        name="supportContact"
        label={t("supportContact")}
        hint={t("supportContactAbout")}
        defaultValue={currentValues.supportContact}
        maxLength={254}
        autoComplete="off"
      />
    </>
  );
}

/** The settings as the values of the form's text fields; a blank field stands for the default. */
const toFormFields = ({ name, supportContact, defaults }: SettingsProps["settings"]) => ({
  name: name === defaults.name ? "" : name,
  supportContact: supportContact ?? "",
});

function TestMailForm({ placeholder }: { placeholder: string }) {
  const t = useTranslator("system");
  return (
    <Card title={t("mailTest")}>
      <Form action={sendTestMailAction} label={t("mailTest")}>
        <p className="text-muted">{t("mailTestAbout")}</p>
        <TextField
          name="to"
          type="email"
          label={t("mailTestTo")}
          hint={t("mailTestToAbout")}
          placeholder={placeholder}
          autoComplete="email"
        />
        <FormActions>
          <SubmitButton variant="secondary" pendingLabel={t("mailTestSending")}>
            {t("mailTestSend")}
          </SubmitButton>
        </FormActions>
      </Form>
    </Card>
  );
}
