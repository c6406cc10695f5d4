import type { Metadata } from "next";
import type { ReactNode } from "react";
import { useTimeFormatOptions, useTranslator } from "#i18n";
import { AccountHeader } from "#components/account/account-header.tsx";
import { definePage } from "#components/shell/page.tsx";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { Card } from "#components/ui/card.tsx";
import { Checkbox, SelectField } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { FormFieldsDisclosure } from "#components/ui/form-fields-disclosure.tsx";
import { getActorOrRedirectToSignIn, loadPageData } from "#lib/http/page.ts";
import { formatTimeOfDay } from "#lib/design/time.ts";
import { showNotificationSettings } from "#lib/notifications/operations.ts";
import {
  MAIL_FREQUENCIES,
  NOTIFICATION_GROUP_BY_KIND,
  NOTIFICATION_GROUPS,
  type NotificationGroup,
  type NotificationKind,
  type NotificationSetting,
  REPORTER_NOTIFICATION_KINDS,
} from "#lib/notifications/schema.ts";
import { canSeeSomeOrganization, hasTeamAccessToEvent, type Actor } from "#lib/operation/policy.ts";
import { saveNotificationGroupsAction, saveNotificationSettingsAction } from "./actions.ts";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator("notifications"))("title") };
}

/** The settings of the viewer's notifications, in the list and by mail: by group, and by kind under "More". */
export default definePage(async function NotificationSettings() {
  const actor = await getActorOrRedirectToSignIn();
  const { settings } = await loadPageData(showNotificationSettings);
  const t = await getTranslator("notifications");
  const isForTeam = canReceiveTeamKinds(actor);
  return (
    <div className="grid gap-6">
      <AccountHeader current="notifications" />
      <div className="max-w-3xl">
        <Card title={t("settingsTitle")}>
          <p className="pb-6 text-muted">{t("settingsText")}</p>
          {isForTeam ? (
            <div className="grid gap-6">
              <GroupsForm settings={settings} />
              <Form action={saveNotificationSettingsAction} label={t("each")}>
                <FormFieldsDisclosure summary={t("each")}>
                  <KindFields settings={settings} saveLabel={t("saveEach")} />
                </FormFieldsDisclosure>
              </Form>
            </div>
          ) : (
            <Form action={saveNotificationSettingsAction} label={t("title")}>
              <KindFields
                settings={settings.filter(({ kind }) => REPORTER_SETTING_KINDS.has(kind))}
                saveLabel={t("save")}
              />
            </Form>
          )}
        </Card>
      </div>
    </div>
  );
});

/** People who only report never get notifications of team activity, so they have four kinds and no groups. */
const canReceiveTeamKinds = (actor: Actor): boolean =>
  canSeeSomeOrganization(actor) ||
  Boolean(actor.withheld) ||
  actor.events.some(({ eventId }) => hasTeamAccessToEvent(actor, eventId));

const REPORTER_SETTING_KINDS = new Set<NotificationKind>([...REPORTER_NOTIFICATION_KINDS, "role.changed"]);

type SettingsProps = { settings: readonly NotificationSetting[] };

function GroupsForm({ settings }: SettingsProps) {
  const t = useTranslator("notifications");
  return (
    <Form action={saveNotificationGroupsAction} label={t("title")}>
      <div className="divide-y divide-line">
        {NOTIFICATION_GROUPS.map((group) => (
          <SettingFieldset key={group} title={t(`group.${group}`)} hint={t(`group.${group}Hint`)}>
            <GroupFields
              group={group}
              settings={settings.filter(({ kind }) => NOTIFICATION_GROUP_BY_KIND[kind] === group)}
            />
          </SettingFieldset>
        ))}
      </div>
      <FormActions>
        <SubmitButton pendingLabel={t("saving")}>{t("save")}</SubmitButton>
      </FormActions>
    </Form>
  );
}

/** Where the kinds of a group differ, its field says so, and saving leaves them as they are. */
function GroupFields({ group, settings }: SettingsProps & { group: NotificationGroup }) {
  const t = useTranslator("notifications");
  const selectProps = (name: "inApp" | "mail", values: readonly string[]) => {
    const isUniform = new Set(values).size === 1;
    return {
      name: `${group}.${name}`,
      markOptional: false,
      ...(isUniform ? { defaultValue: values[0] } : { defaultValue: "", prompt: t("varies") }),
    };
  };
  const listed = settings.map(({ inApp }) => (inApp ? "on" : "off"));
  return (
    <>
      <SelectField
        {...selectProps("inApp", listed)}
        label={t("inList")}
        options={(["on", "off"] as const).map((value) => ({ value, label: t(`listed.${value}`) }))}
      />
      <SelectField
        {...selectProps(
          "mail",
          settings.map(({ mail }) => mail),
        )}
        label={t("byMail")}
        options={useMailOptions()}
      />
    </>
  );
}

/** The choices of each kind, and the button that saves them. */
function KindFields({ settings, saveLabel }: SettingsProps & { saveLabel: string }) {
  const t = useTranslator("notifications");
  const options = useMailOptions();
  return (
    <div className="grid gap-6">
      <div className="divide-y divide-line">
        {settings.map(({ kind, inApp, mail }) => (
          // A box follows its default only when it is made anew.
          <SettingFieldset key={`${kind} ${inApp}`} title={t(`about.${kind}`)}>
            <Checkbox name={`${kind}.inApp`} label={t("inList")} defaultChecked={inApp} />
            <SelectField
              name={`${kind}.mail`}
              label={t("byMail")}
              options={options}
              defaultValue={mail}
              markOptional={false}
            />
          </SettingFieldset>
        ))}
      </div>
      <FormActions>
        <SubmitButton pendingLabel={t("saving")}>{saveLabel}</SubmitButton>
      </FormActions>
    </div>
  );
}

/** Daily mail goes out at 08:00 UTC (lib/worker/dispatch.ts). */
const findDailyMailTime = (): Date => new Date(new Date().setUTCHours(8, 0, 0, 0));

function useMailOptions() {
  const t = useTranslator("notifications");
  const time = formatTimeOfDay(findDailyMailTime(), useTimeFormatOptions());
  return MAIL_FREQUENCIES.map((value) => ({ value, label: t(`mail.${value}`, { time }) }));
}

type FieldsetProps = { title: string; hint?: string; children: ReactNode };

const SettingFieldset = ({ title, hint, children }: FieldsetProps) => (
  <div className="py-5 first:pt-0">
    <fieldset>
      <legend className="font-[550]">{title}</legend>
      {hint && <p className="pb-3 text-sm text-muted">{hint}</p>}
      <div className="grid items-end gap-x-6 gap-y-1 sm:grid-cols-2">{children}</div>
    </fieldset>
  </div>
);
