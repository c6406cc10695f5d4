import { useTranslator } from "#i18n";
import { ReportsOfPerson } from "#components/people/reports-of-person.tsx";
import { Badge } from "#components/ui/badge.tsx";
import { Card } from "#components/ui/card.tsx";
import { DismissDialogButton } from "#components/ui/dismiss-button.tsx";
import { RadioGroup, TextArea, TextField } from "#components/ui/field.tsx";
import { FormFieldsDisclosure } from "#components/ui/form-fields-disclosure.tsx";
import { FormActions, SubmitButton } from "#components/ui/form.tsx";
import { isolateBidi } from "#lib/design/bidi.ts";
import type { Incident } from "#lib/incidents/schema.ts";
import { MAX_PERSON_NAME_LENGTH, PERSON_ROLES, type IncidentPersonRecord } from "#lib/people/schema.ts";
import { buildPlaceFields, type FormAccountBinding } from "./form-binding.ts";
import {
  addPersonAction,
  changePersonAction,
  joinPersonAction,
  removePersonAction,
  splitPersonAction,
} from "./people-actions.ts";
import { ReporterDetails } from "./side-panel.tsx";
import { AccountBoundForm } from "./ticketed-form.tsx";
import { FormToast } from "./toasts.tsx";

/** The record as pages read it: times as text. */
export type DisplayedPerson = import("zod").output<typeof IncidentPersonRecord>;

type FormProps = { incident: Incident; writing: FormAccountBinding };
type Props = FormProps & {
  /** Everybody on the response team. */
  team: readonly { id: string; name: string }[];
  named: readonly DisplayedPerson[];
  mayChange: boolean;
};

/** Who sent the report, and whom the team named in it, with what other reports say of them (contract 7.22). */
export function PeopleCard({ named, mayChange, team, ...forms }: Props) {
  return (
    <Card title={useTranslator("incidentPage")("people")} id="people">
      <div className="grid gap-4">
        <ReporterDetails incident={forms.incident} team={team} />
        {named.length > 0 && (
          <ul className="grid gap-4">
            {named.map((person) => (
              <NamedPerson key={person.id} person={person} mayChange={mayChange} {...forms} />
            ))}
          </ul>
        )}
        {mayChange && <AddForm {...forms} />}
      </div>
    </Card>
  );
}

type PersonProps = FormProps & { person: DisplayedPerson };

function NamedPerson({ mayChange, ...props }: PersonProps & { mayChange: boolean }) {
  const t = useTranslator("people");
  const { name, role, codeName, handles, addresses, otherReports, joined } = props.person;
  const { count, earlier, newest } = otherReports;
  return (
    <li className="grid min-w-0 gap-1 border-t border-line pt-3">
      <p dir="auto" className="font-[650] wrap-anywhere">
        {name}
      </p>
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm text-muted">
        <Badge>{t(`role.${role}`)}</Badge>
        <bdi>{codeName}</bdi>
      </p>
      {[...handles, ...addresses].map((value) => (
        <p key={value} className="text-sm wrap-anywhere">
          <bdi>{value}</bdi>
        </p>
      ))}
      <ReportsOfPerson count={count} newest={newest} counted={earlier === count ? "earlier" : "others"} />
      {joined && <p className="text-sm text-muted">{t("isJoined")}</p>}
      {mayChange && (
        <div className="no-print grid justify-items-start gap-2">
          {props.person.samePeople.map((other) => (
            <JoinForm key={other.personId} other={other} {...props} />
          ))}
          {joined && <SplitForm {...props} />}
          <div className="flex flex-wrap gap-2">
            <EditForm {...props} />
            <RemoveForm {...props} />
          </div>
        </div>
      )}
    </li>
  );
}

function AddForm({ incident, writing }: FormProps) {
  const t = useTranslator("people");
  return (
    <div className="no-print">
      <AccountBoundForm
        writing={writing}
        form="person"
        action={addPersonAction}
        of={buildPlaceFields(incident)}
        dialog={{ trigger: t("add"), title: t("addTitle") }}
        resetOnSuccess
      >
        <FormToast />
        <p>{t("addAbout")}</p>
        <PersonFields />
        <FormActions>
          <SubmitButton pendingLabel={t("saving")}>{t("addSave")}</SubmitButton>
        </FormActions>
      </AccountBoundForm>
    </div>
  );
}

function PersonFields({ person }: { person?: DisplayedPerson }) {
  const t = useTranslator("people");
  return (
    <>
      <TextField
        name="name"
        label={t("name")}
        defaultValue={person?.name}
        maxLength={MAX_PERSON_NAME_LENGTH}
        autoComplete="off"
        required
      />
      <RadioGroup
        name="role"
        label={t("role")}
        defaultValue={person?.role ?? "reported"}
        required
        options={PERSON_ROLES.map((role) => ({ value: role, label: t(`role.${role}`) }))}
      />
      <FormFieldsDisclosure summary={t("more")}>
        <div className="grid gap-6">
          {(["handles", "addresses"] as const).map((field) => (
            <TextArea
              key={field}
              name={field}
              label={t(field)}
              hint={t("oneEachLine")}
              defaultValue={person?.[field].join("\n")}
              rows={2}
              autoComplete="off"
              spellCheck={false}
            />
          ))}
        </div>
      </FormFieldsDisclosure>
    </>
  );
}

/** Hidden fields that name the incident, and the version of the record that the page shows. */
const buildVersionFields = ({ incident, person }: Pick<PersonProps, "incident" | "person">) => ({
  ...buildPlaceFields(incident),
  ifMatch: person.updatedAt,
});

function EditForm({ incident, writing, person }: PersonProps) {
  const t = useTranslator("people");
  return (
    <AccountBoundForm
      writing={writing}
      form={`person-${person.id}`}
      action={changePersonAction}
      of={buildVersionFields({ incident, person })}
      hidden={{ recordId: person.id }}
      dialog={{ trigger: t("edit"), title: t("editTitle", { name: isolateBidi(person.name) }) }}
    >
      <FormToast />
      <PersonFields person={person} />
      <FormActions>
        <SubmitButton pendingLabel={t("saving")}>{t("save")}</SubmitButton>
      </FormActions>
    </AccountBoundForm>
  );
}

function RemoveForm({ incident, writing, person }: PersonProps) {
  const t = useTranslator("people");
  return (
    <AccountBoundForm
      writing={writing}
      form={`remove-person-${person.id}`}
      action={removePersonAction}
      of={buildVersionFields({ incident, person })}
      hidden={{ recordId: person.id }}
      dialog={{
        trigger: t("remove"),
        title: t("removeTitle", { name: isolateBidi(person.name) }),
        variant: "quiet",
      }}
    >
      <FormToast />
      <p>{t("removeAbout")}</p>
      <FormActions>
        <SubmitButton variant="danger" pendingLabel={t("saving")}>
          {t("removeDo")}
        </SubmitButton>
        <DismissDialogButton outcome="keep" />
      </FormActions>
    </AccountBoundForm>
  );
}

function JoinForm({
  incident,
  writing,
  person,
  other: { personId, codeName },
}: PersonProps & { other: DisplayedPerson["samePeople"][number] }) {
  const t = useTranslator("people");
  return (
    <AccountBoundForm
      writing={writing}
      form={`join-${person.id}-${personId}`}
      action={joinPersonAction}
      of={buildPlaceFields(incident)}
      hidden={{ recordId: person.id, personId }}
      className="gap-2 border-s-4 border-accent ps-3"
    >
      <FormToast />
      <p>{t("same", { codeName: isolateBidi(codeName) })}</p>
      <SubmitButton variant="secondary" pendingLabel={t("saving")}>
        {t("join", { codeName: isolateBidi(codeName) })}
      </SubmitButton>
    </AccountBoundForm>
  );
}

function SplitForm({ incident, writing, person }: PersonProps) {
  const t = useTranslator("people");
  return (
    <AccountBoundForm
      writing={writing}
      form={`split-${person.id}`}
      action={splitPersonAction}
      of={buildPlaceFields(incident)}
      hidden={{ recordId: person.id }}
    >
      <FormToast />
      <SubmitButton variant="quiet" pendingLabel={t("saving")}>
        {t("split")}
      </SubmitButton>
    </AccountBoundForm>
  );
}
