import clsx from "clsx";
import { ChevronDown } from "lucide-react";
import type { ReactNode } from "react";
import { useWords } from "#words";
import { buttonClass } from "#components/ui/button.tsx";
import { DialogButton } from "#components/ui/dialog.tsx";
import { SelectField, TextArea, TextField } from "#components/ui/field.tsx";
import { FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { Menu } from "#components/ui/menu.tsx";
import { menuItemClass } from "#components/ui/menu-item.ts";
import type { Versions } from "#components/ui/versions.tsx";
import { type Incident, NOTES_MAX, type State, TITLE_MAX, TITLE_MIN } from "#lib/incidents/schema.ts";
import { moveAction, reopenAction, retitleAction } from "./actions.ts";
import { OwnForm, type Writing } from "./own-form.tsx";
import { TellDone } from "./toasts.tsx";
import { Unscripted } from "./unscripted.tsx";

export type Person = { id: string; name: string };
type OnReport = { incident: Incident };
type Moving = OnReport & { writing: Writing };
type WithPeople = Moving & { people: readonly Person[] };

type MoveName = State | "reopen";

/** Which moves a state offers, the next sensible one first. The service itself takes any (contract 7.5). */
const MOVES: Record<State, readonly MoveName[]> = {
  submitted: ["acknowledged", "investigating", "resolved", "closed"],
  acknowledged: ["investigating", "resolved", "closed", "submitted"],
  investigating: ["resolved", "closed", "acknowledged", "submitted"],
  resolved: ["closed", "reopen"],
  closed: ["reopen", "resolved"],
};

/** Their dialogs stand in the page at all times: somebody may be writing in one while the report moves on. */
const WITH_DIALOG: readonly MoveName[] = [
  "investigating",
  "resolved",
  "closed",
  "reopen",
  "acknowledged",
  "submitted",
];

const dialogOf = (move: MoveName | "title") => `move-${move}`;

/** The next sensible move as the one primary button, and the others behind "More". */
export function MoveBar({ incident, writing, mayRetitle }: Moving & { mayRetitle: boolean }) {
  const t = useWords("case");
  const [first, ...others] = MOVES[incident.state];
  return (
    <div className="no-print flex items-center gap-2 max-[50rem]:fixed max-[50rem]:inset-x-0 max-[50rem]:bottom-0 max-[50rem]:z-30 max-[50rem]:border-t max-[50rem]:border-line max-[50rem]:bg-surface max-[50rem]:px-4 max-[50rem]:py-2">
      <Acknowledge incident={incident} writing={writing} />
      {first && first !== "acknowledged" && (
        <DialogButton opens={dialogOf(first)} variant="primary" className="max-[50rem]:grow">
          {t(labelOf(first, incident.state))}
        </DialogButton>
      )}
      <Menu
        foot
        triggerClass={buttonClass("secondary")}
        trigger={
          <>
            {t("more")} <Icon as={ChevronDown} size={16} />
          </>
        }
      >
        {others.map((move) => (
          <DialogButton key={move} opens={dialogOf(move)} className={menuItemClass}>
            {t(labelOf(move, incident.state))}
          </DialogButton>
        ))}
        {mayRetitle && (
          <DialogButton opens={dialogOf("title")} className={menuItemClass}>
            {t("editTitle")}
          </DialogButton>
        )}
      </Menu>
    </div>
  );
}

/** One press. The form stays when its button goes, and says what was done. */
function Acknowledge({ incident, writing }: Moving) {
  const t = useWords("case");
  const now = incident.state === "submitted";
  return (
    <OwnForm
      writing={writing}
      form="acknowledge"
      action={moveAction}
      hidden={{ ...hiddenOf(incident), state: "acknowledged" }}
      versions={{ theirs: <Standing incident={incident} />, yours: t("label.acknowledge"), field: "notes" }}
      className={clsx(now ? "gap-2 max-[50rem]:grow" : "hidden", REFUSED)}
    >
      <TellDone />
      {now && (
        <SubmitButton className="w-full" pendingLabel={t("acknowledging")}>
          {t("label.acknowledge")}
        </SubmitButton>
      )}
    </OwnForm>
  );
}

/** What it was refused for opens beside the button, also where the button is gone by now. */
const REFUSED = [
  "has-[[role=alert]]:absolute has-[[role=alert]]:end-4 has-[[role=alert]]:z-30 has-[[role=alert]]:grid",
  "has-[[role=alert]]:w-[min(34rem,calc(100vw-2rem))] has-[[role=alert]]:rounded-surface has-[[role=alert]]:bg-surface",
  "max-[50rem]:has-[[role=alert]]:bottom-full min-[50rem]:has-[[role=alert]]:top-full",
];

/** The forms behind the buttons above; without script they open here, in place. */
export function MoveForms({ mayRetitle, ...given }: WithPeople & { mayRetitle: boolean }) {
  const { incident, writing } = given;
  const t = useWords("case");
  const offered = MOVES[incident.state];
  return (
    <Unscripted title={t("moves")}>
      {WITH_DIALOG.map((move) => (
        <MoveForm
          key={move}
          move={move}
          offered={offered.includes(move) && !(move === "acknowledged" && incident.state === "submitted")}
          {...given}
        />
      ))}
      {mayRetitle && <TitleForm incident={incident} writing={writing} id={dialogOf("title")} />}
    </Unscripted>
  );
}

type MoveProps = WithPeople & { move: MoveName; offered: boolean };

function MoveForm({ move, offered, incident, writing, people }: MoveProps) {
  const t = useWords("case");
  const label = labelOf(move, incident.state);
  const title = t(label).replace(/…$/, "");
  return (
    <OwnForm
      writing={writing}
      form={dialogOf(move)}
      action={move === "reopen" ? reopenAction : moveAction}
      hidden={{ ...hiddenOf(incident), ...(move === "reopen" ? {} : { state: move }) }}
      dialog={{ id: dialogOf(move), title, offered }}
      versions={versionsOf(incident, title)}
      resetOnSuccess
    >
      <TellDone />
      {(move === "investigating" || move === "reopen") && (
        <Assignee required={move === "investigating"} incident={incident} people={people} />
      )}
      <TextArea
        name="notes"
        label={t("note")}
        hint={t(hintOf(move, incident))}
        maxLength={NOTES_MAX}
        rows={4}
        required={NEEDS_NOTE.has(move)}
        count
      />
      <FormActions>
        <SubmitButton pendingLabel={t("saving")}>{t(sendOf(move, incident.state))}</SubmitButton>
      </FormActions>
    </OwnForm>
  );
}

type AssigneeProps = Pick<WithPeople, "incident" | "people"> & { required: boolean };

function Assignee({ required, incident, people }: AssigneeProps) {
  const t = useWords("case");
  return (
    <SelectField
      name="assignedToUserId"
      label={t("whoTakesIt")}
      hint={required ? undefined : t("reopenHint")}
      prompt={t(required ? "choose" : "nobodyNew")}
      options={optionsOf(people)}
      defaultValue={required ? (incident.assignedResponderId ?? "") : ""}
      required={required}
    />
  );
}

const NEEDS_NOTE = new Set<MoveName>(["investigating", "resolved", "reopen"]);

function labelOf(move: MoveName, state: State) {
  if (move === "acknowledged")
    return state === "submitted" ? "label.acknowledge" : "label.backToAcknowledged";
  if (move === "resolved" && state === "closed") return "label.backToResolved";
  return `label.${move}` as const;
}

function sendOf(move: MoveName, state: State) {
  const back = move === "submitted" || move === "acknowledged" || (move === "resolved" && state === "closed");
  return back ? "send.back" : (`send.${move}` as const);
}

function hintOf(move: MoveName, { resolution }: Incident) {
  if (move === "investigating") return "hint.investigating";
  if (move === "reopen") return "hint.reopen";
  return move === "resolved" && !resolution ? "hint.resolved" : "hint.teamOnly";
}

/** The title with what it was, for whoever may change it. */
export function TitleForm({ incident, writing, id, trigger }: Moving & { id?: string; trigger?: ReactNode }) {
  const t = useWords("ownReport");
  return (
    <OwnForm
      writing={writing}
      form="title"
      action={retitleAction}
      hidden={pathTo(incident)}
      dialog={{ title: t("titleEdit"), variant: "quiet", ...(id ? { id } : { trigger }) }}
      versions={{ theirs: incident.title, field: "title" }}
    >
      <TellDone />
      <TextField
        name="title"
        label={t("title")}
        hint={t("titleHint", { min: TITLE_MIN, max: TITLE_MAX })}
        defaultValue={incident.title}
        minLength={TITLE_MIN}
        maxLength={TITLE_MAX}
        count
        autoComplete="off"
        required
      />
      <FormActions>
        <SubmitButton pendingLabel={t("saving")}>{t("titleSave")}</SubmitButton>
      </FormActions>
    </OwnForm>
  );
}

/** For a move, the versions are where the report stands now, and where it was to go with which note. */
const versionsOf = (incident: Incident, yours: string): Versions => ({
  theirs: <Standing incident={incident} />,
  yours: <strong>{yours}</strong>,
  field: "notes",
});

function Standing({ incident }: OnReport) {
  const words = useWords("incident");
  const { state, severity, assignedResponder } = incident;
  return (
    <>
      <strong>{words(`state.${state}`)}</strong>
      <span className="block">
        {words("field.assignee")}: {assignedResponder?.name ?? words("unassigned")}
      </span>
      <span className="block">
        {words("field.severity")}: {words(`severity.${severity ?? "none"}`)}
      </span>
    </>
  );
}

/** The path of the report and the version on the screen. */
export const pathTo = (incident: Incident) => ({
  slug: incident.event.slug,
  incidentId: incident.id,
  ifMatch: incident.updatedAt,
});

/** The same, and where it stands, so that a move can be taken back. */
const hiddenOf = (incident: Incident) => ({
  ...pathTo(incident),
  wasState: incident.state,
  wasAssignee: incident.assignedResponderId ?? "",
});

export const optionsOf = (people: readonly Person[]) =>
  people.map(({ id, name }) => ({ value: id, label: name }));
