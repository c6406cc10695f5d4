import { useTranslator } from "#words";
import { definePage } from "#components/shell/page.tsx";
import { SystemHeader } from "#components/system/system-head.tsx";
import { createSystemMetadata } from "#components/system/title.ts";
import { Card } from "#components/ui/card.tsx";
import { RadioGroup, TextField } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { showSettings } from "#lib/admin/operations.ts";
import { MAX_SERVICE_NAME } from "#lib/settings/schema.ts";
import { requireSignIn, loadPageData } from "#lib/http/page.ts";
import { saveSystemSettingsAction, sendTestMailAction } from "./actions.ts";

export const generateMetadata = createSystemMetadata("settings");

/** Settings of the whole installation. */
export default definePage(async function SystemSettings() {
  const actor = await requireSignIn();
  const { defaults, version, ...settings } = await loadPageData(showSettings);
  const t = useTranslator("system");
  return (
    <div className="grid gap-6">
      <SystemHeader current="settings" />
      <div className="grid max-w-2xl gap-6">
        <Card title={t("settings")}>
          <Form
            action={saveSystemSettingsAction}
            hidden={{ ifMatch: version }}
            label={t("settings")}
            versions={{
              fields: [
                {
                  name: "registration",
                  label: t("registration"),
                  theirs: settings.registration,
                  words: { open: t("registrationOpen"), invite: t("registrationInvite") },
                },
                {
                  name: "name",
                  label: t("serviceName"),
                  theirs: settings.name === defaults.name ? "" : settings.name,
                },
                {
                  name: "supportContact",
                  label: t("supportContact"),
                  theirs: settings.supportContact ?? "",
                },
              ],
            }}
          >
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
              hint={t("serviceNameAbout", { fallback: defaults.name })}
              defaultValue={settings.name === defaults.name ? "" : settings.name}
              maxLength={MAX_SERVICE_NAME}
              autoComplete="off"
            />
            <TextField
              name="supportContact"
              label={t("supportContact")}
              hint={t("supportContactAbout")}
              defaultValue={settings.supportContact ?? ""}
              maxLength={254}
              autoComplete="off"
            />
            <FormActions>
              <SubmitButton pendingLabel={t("saving")}>{t("save")}</SubmitButton>
            </FormActions>
          </Form>
        </Card>
        <Card title={t("mailTest")}>
          <Form action={sendTestMailAction} label={t("mailTest")}>
            <p className="text-muted">{t("mailTestAbout")}</p>
            <TextField
              name="to"
              type="email"
              label={t("mailTestTo")}
              hint={t("mailTestToAbout")}
              placeholder={actor.email}
              autoComplete="email"
            />
            <FormActions>
              <SubmitButton variant="secondary" pendingLabel={t("mailTestSending")}>
                {t("mailTestSend")}
              </SubmitButton>
            </FormActions>
          </Form>
        </Card>
      </div>
    </div>
  );
});
