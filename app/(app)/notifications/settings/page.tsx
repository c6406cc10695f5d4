import type { Metadata } from "next";
import { useWords } from "#words";
import { AccountHead } from "#components/account/account-head.tsx";
import { page } from "#components/shell/page.tsx";
import { pageWords } from "#components/words/page-words.ts";
import { Card } from "#components/ui/card.tsx";
import { Checkbox, SelectField } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { mustBeSignedIn, show } from "#lib/http/page.ts";
import { showNotificationSettings } from "#lib/notifications/operations.ts";
import { type Kind, MAILS, REPORTER_KINDS, type Setting } from "#lib/notifications/schema.ts";
import { isTeam, type Actor } from "#lib/operation/policy.ts";
import { saveSettingsAction } from "./actions.ts";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await pageWords("notifications"))("title") };
}

/** What one is told of, in the list and by mail. */
export default page(async function NotificationSettings() {
  const actor = await mustBeSignedIn();
  const { settings } = await show(showNotificationSettings);
  const t = await pageWords("notifications");
  const shown = settings.filter(({ kind }) => concerns(actor, kind));
  return (
    <div className="grid gap-6">
      <AccountHead current="notifications" />
      <div className="max-w-3xl">
        <Card title={t("settingsTitle")}>
          <Form action={saveSettingsAction} label={t("title")}>
            <p className="text-muted">{t("settingsText")}</p>
            <div className="divide-y divide-line">
              {shown.map((setting) => (
                <div key={setting.kind} className="py-5 first:pt-0">
                  <Choice setting={setting} />
                </div>
              ))}
            </div>
            <FormActions>
              <SubmitButton pendingLabel={t("saving")}>{t("save")}</SubmitButton>
            </FormActions>
          </Form>
        </Card>
      </div>
    </div>
  );
});

/** Who only reports is never told of what the team does, so nothing is asked about it. */
function concerns(actor: Actor, kind: Kind): boolean {
  if (actor.systemAdmin || actor.organizations.length > 0 || actor.withheld) return true;
  return FOR_REPORTERS.has(kind) || actor.events.some(({ eventId }) => isTeam(actor, eventId));
}

const FOR_REPORTERS = new Set<Kind>([...REPORTER_KINDS, "role.changed"]);

function Choice({ setting: { kind, inApp, mail } }: { setting: Setting }) {
  const t = useWords("notifications");
  return (
    <fieldset>
      <legend className="font-[550]">{t(`about.${kind}`)}</legend>
      <div className="grid items-end gap-x-6 gap-y-1 sm:grid-cols-2">
        <Checkbox name={`${kind}.inApp`} label={t("inList")} defaultChecked={inApp} />
        <SelectField
          name={`${kind}.mail`}
          label={t("byMail")}
          options={MAILS.map((value) => ({ value, label: t(`mail.${value}`) }))}
          defaultValue={mail}
          markOptional={false}
        />
      </div>
    </fieldset>
  );
}
