import type { Metadata } from "next";
import { AccountHead } from "#components/account/account-head.tsx";
import { KIND_WORDS, MAIL_WORDS } from "#components/notification/words.ts";
import { page } from "#components/shell/page.tsx";
import { Card } from "#components/ui/card.tsx";
import { Checkbox, SelectField } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { mustBeSignedIn, show } from "#lib/api/page.ts";
import { showNotificationSettings } from "#lib/notifications/operations.ts";
import { type Kind, REPORTER_KINDS, type Setting } from "#lib/notifications/schema.ts";
import { isTeam, type Actor } from "#lib/policy.ts";
import { saveSettingsAction } from "./actions.ts";

export const metadata: Metadata = { title: "Notifications" };

/** What one is told of, in the list and by mail. */
export default page(async function NotificationSettings() {
  const actor = await mustBeSignedIn();
  const { settings } = await show(showNotificationSettings);
  const shown = settings.filter(({ kind }) => concerns(actor, kind));
  return (
    <div className="grid gap-6">
      <AccountHead current="notifications" />
      <div className="max-w-3xl">
        <Card title="What you are told of">
          <Form action={saveSettingsAction} label="Notifications">
            <p className="text-muted">
              Mails say where something is new and nothing else; what it is, you see after signing in.
            </p>
            <div className="divide-y divide-line">
              {shown.map((setting) => (
                <div key={setting.kind} className="py-5 first:pt-0">
                  <Choice setting={setting} />
                </div>
              ))}
            </div>
            <FormActions>
              <SubmitButton pendingLabel="Saving…">Save choices</SubmitButton>
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

const MAIL_OPTIONS = Object.entries(MAIL_WORDS).map(([value, label]) => ({ value, label }));

function Choice({ setting: { kind, inApp, mail } }: { setting: Setting }) {
  return (
    <fieldset>
      <legend className="font-[550]">{KIND_WORDS[kind].about}</legend>
      <div className="grid items-end gap-x-6 gap-y-1 sm:grid-cols-2">
        <Checkbox name={`${kind}.inApp`} label="In the list" defaultChecked={inApp} />
        <SelectField
          name={`${kind}.mail`}
          label="By mail"
          options={MAIL_OPTIONS}
          defaultValue={mail}
          markOptional={false}
        />
      </div>
    </fieldset>
  );
}
