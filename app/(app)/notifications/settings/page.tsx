import type { Metadata } from "next";
import { useTimeFormatOptions, useTranslator } from "#i18n";
import { AccountHeader } from "#components/account/account-header.tsx";
import { definePage } from "#components/shell/page.tsx";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { Card } from "#components/ui/card.tsx";
import { Checkbox, SelectField } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { getActorOrRedirectToSignIn, loadPageData } from "#lib/http/page.ts";
import { formatTimeOfDay } from "#lib/design/time.ts";
import { showNotificationSettings } from "#lib/notifications/operations.ts";
import {
  type NotificationKind,
  MAIL_FREQUENCIES,
  REPORTER_NOTIFICATION_KINDS,
  type NotificationSetting,
} from "#lib/notifications/schema.ts";
import { canSeeSomeOrganization, hasTeamAccessToEvent, type Actor } from "#lib/operation/policy.ts";
import { saveNotificationSettingsAction } from "./actions.ts";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator("notifications"))("title") };
}

/** The settings of the viewer's notifications, in the list and by mail. */
export default definePage(async function NotificationSettings() {
  const actor = await getActorOrRedirectToSignIn();
  const { settings } = await loadPageData(showNotificationSettings);
  const t = await getTranslator("notifications");
  const shownSettings = settings.filter(({ kind }) => canReceiveKind(actor, kind));
  return (
    <div className="grid gap-6">
      <AccountHeader current="notifications" />
      <div className="max-w-3xl">
        <Card title={t("settingsTitle")}>
          <Form action={saveNotificationSettingsAction} label={t("title")}>
            <p className="text-muted">{t("settingsText")}</p>
            <div className="divide-y divide-line">
              {shownSettings.map((setting) => (
                <div key={setting.kind} className="py-5 first:pt-0">
                  <NotificationSettingRow setting={setting} />
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

/** People who only report never get notifications of team activity, so those settings are hidden. */
function canReceiveKind(actor: Actor, kind: NotificationKind): boolean {
  if (canSeeSomeOrganization(actor) || actor.withheld) return true;
  return (
    REPORTER_SETTING_KINDS.has(kind) ||
    actor.events.some(({ eventId }) => hasTeamAccessToEvent(actor, eventId))
  );
}

const REPORTER_SETTING_KINDS = new Set<NotificationKind>([...REPORTER_NOTIFICATION_KINDS, "role.changed"]);

/** Daily mail goes out at 08:00 UTC (lib/worker/dispatch.ts). */
const findDailyMailTime = (): Date => new Date(new Date().setUTCHours(8, 0, 0, 0));

function NotificationSettingRow({ setting: { kind, inApp, mail } }: { setting: NotificationSetting }) {
  const t = useTranslator("notifications");
  const time = formatTimeOfDay(findDailyMailTime(), useTimeFormatOptions());
  return (
    <fieldset>
      <legend className="font-[550]">{t(`about.${kind}`)}</legend>
      <div className="grid items-end gap-x-6 gap-y-1 sm:grid-cols-2">
        <Checkbox name={`${kind}.inApp`} label={t("inList")} defaultChecked={inApp} />
        <SelectField
          name={`${kind}.mail`}
          label={t("byMail")}
          options={MAIL_FREQUENCIES.map((value) => ({ value, label: t(`mail.${value}`, { time }) }))}
          defaultValue={mail}
          markOptional={false}
        />
      </div>
    </fieldset>
  );
}
