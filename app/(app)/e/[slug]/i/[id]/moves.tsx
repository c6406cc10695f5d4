import type { ReactNode } from "react";
import { SEVERITY_WORDS } from "#components/incident/words.ts";
import type { ButtonVariant } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { SelectField, TextArea } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { type Incident, NOTES_MAX, SEVERITIES, type State } from "#lib/incidents/schema.ts";
import { moveAction, reopenAction, updateAction } from "./actions.ts";

type Person = { id: string; name: string };
type OnReport = { incident: Incident };
type WithPeople = OnReport & { people: readonly Person[] };

/** What to do with a report now: the next sensible move first, the other moves below it. */
export function NextSteps({ incident, people }: WithPeople) {
  const [first, ...others] = MOVES[incident.state];
  return (
    <Card title="Next step">
      <div className="grid gap-3">
        {first && <Move move={first} variant="primary" incident={incident} people={people} />}
        <h3 className="mt-2 text-sm font-[550] text-muted">Other moves</h3>
        <div className="grid gap-2">
          {others.map((move) => (
            <Move key={move} move={move} variant="secondary" incident={incident} people={people} />
          ))}
        </div>
      </div>
    </Card>
  );
}

type MoveName = State | "reopen";

/** Which moves a state offers, the next sensible one first. The service itself takes any (rulings R5). */
const MOVES: Record<State, readonly MoveName[]> = {
  submitted: ["acknowledged", "investigating", "resolved", "closed"],
  acknowledged: ["investigating", "resolved", "closed", "submitted"],
  investigating: ["resolved", "closed", "acknowledged", "submitted"],
  resolved: ["closed", "reopen"],
  closed: ["reopen", "resolved"],
};

type MoveProps = WithPeople & { move: MoveName; variant: ButtonVariant };

function Move({ move, variant, incident, people }: MoveProps) {
  const note = (required: boolean, hint: string) => (
    <TextArea
      name="notes"
      label="Note"
      hint={hint}
      maxLength={NOTES_MAX}
      rows={4}
      required={required}
      count
    />
  );
  const assignee = (required: boolean, hint?: string) => (
    <SelectField
      name="assignedToUserId"
      label="Who takes it on"
      hint={hint}
      prompt={required ? "Choose a person" : "Nobody new"}
      options={optionsOf(people)}
      defaultValue={required ? (incident.assignedResponderId ?? "") : ""}
      required={required}
    />
  );
  const props = { incident, variant, state: move };
  switch (move) {
    case "acknowledged":
      return incident.state === "submitted" ? (
        <OnePress {...props} label="Acknowledge" pending="Acknowledging…" />
      ) : (
        <InDialog {...props} label="Back to acknowledged…" title="Back to acknowledged" send="Move back">
          {note(false, TEAM_ONLY)}
        </InDialog>
      );
    case "submitted":
      return (
        <InDialog {...props} label="Back to submitted…" title="Back to submitted" send="Move back">
          {note(false, TEAM_ONLY)}
        </InDialog>
      );
    case "investigating":
      return (
        <InDialog
          {...props}
          label="Start investigating…"
          title="Start investigating"
          send="Start investigating"
        >
          {assignee(true)}
          {note(true, `What is to be found out, and how. ${TEAM_ONLY}`)}
        </InDialog>
      );
    case "resolved":
      return (
        <InDialog
          {...props}
          label={incident.state === "closed" ? "Back to resolved…" : "Resolve…"}
          title={incident.state === "closed" ? "Back to resolved" : "Resolve"}
          send={incident.state === "closed" ? "Move back" : "Resolve"}
        >
          {note(
            true,
            incident.resolution
              ? TEAM_ONLY
              : "What was found and decided, for the team. It becomes the resolution until you write one that the reporter can read.",
          )}
        </InDialog>
      );
    case "closed":
      return (
        <InDialog {...props} label="Close…" title="Close" send="Close the report">
          {note(false, TEAM_ONLY)}
        </InDialog>
      );
    case "reopen":
      return (
        <InDialog {...props} label="Reopen…" title="Reopen" send="Reopen">
          {assignee(
            false,
            "With a person, the report goes back to investigating. Without one, to acknowledged.",
          )}
          {note(true, `Why it is opened again. ${TEAM_ONLY}`)}
        </InDialog>
      );
  }
}

const TEAM_ONLY = "Only the team reads notes.";

type Kept = OnReport & { variant: ButtonVariant; state: MoveName };

function OnePress({ incident, variant, state, label, pending }: Kept & { label: string; pending: string }) {
  return (
    <Form action={moveAction} hidden={{ ...hiddenOf(incident), state }} className="gap-3">
      <SubmitButton variant={variant} className="w-full" pendingLabel={pending}>
        {label}
      </SubmitButton>
    </Form>
  );
}

type InDialogProps = Kept & { label: string; title: string; send: string; children: ReactNode };

function InDialog({ incident, variant, state, label, title, send, children }: InDialogProps) {
  const reopens = state === "reopen";
  return (
    <Form
      action={reopens ? reopenAction : moveAction}
      hidden={{ ...hiddenOf(incident), ...(reopens ? {} : { state }) }}
      dialog={{ trigger: label, title, variant, className: "w-full" }}
      resetOnSuccess
    >
      {children}
      <FormActions>
        <SubmitButton pendingLabel="Saving…">{send}</SubmitButton>
      </FormActions>
    </Form>
  );
}

/** Who is responsible; one press when it should be oneself. */
export function Assignment({ incident, people, actorId }: WithPeople & { actorId: string }) {
  const mayTake = people.some(({ id }) => id === actorId) && incident.assignedResponderId !== actorId;
  return (
    <Card title="Assigned to">
      <div className="grid gap-3">
        <Form action={updateAction} hidden={hiddenOf(incident)} label="Assigned to" className="gap-3">
          <SelectField
            name="assignedResponderId"
            label="Person"
            prompt="Nobody"
            options={optionsOf(people)}
            defaultValue={incident.assignedResponderId ?? ""}
            markOptional={false}
          />
          <SubmitButton variant="secondary" pendingLabel="Saving…">
            Assign
          </SubmitButton>
        </Form>
        {mayTake && (
          <Form
            action={updateAction}
            hidden={{ ...hiddenOf(incident), assignedResponderId: actorId }}
            label="Take it on"
            className="gap-3"
          >
            <SubmitButton variant="quiet" className="w-full" pendingLabel="Saving…">
              Assign to me
            </SubmitButton>
          </Form>
        )}
      </div>
    </Card>
  );
}

export function SeverityForm({ incident }: OnReport) {
  return (
    <Card title="Severity">
      <Form action={updateAction} hidden={hiddenOf(incident)} label="Severity" className="gap-3">
        <SelectField
          name="severity"
          label="How severe it is"
          prompt="Not set"
          options={SEVERITIES.toReversed().map((value) => ({ value, label: SEVERITY_WORDS[value] }))}
          defaultValue={incident.severity ?? ""}
          markOptional={false}
        />
        <SubmitButton variant="secondary" pendingLabel="Saving…">
          Set severity
        </SubmitButton>
      </Form>
    </Card>
  );
}

/** How it ended. The reporter reads what was written for them, and no note of the team. */
export function Resolution({ incident, team }: OnReport & { team: boolean }) {
  return (
    <Card title="Resolution" actions={team && <ResolutionForm incident={incident} />}>
      {incident.resolution ? (
        <p className="reading">{incident.resolution}</p>
      ) : (
        <p className="text-muted">
          Nothing is written yet. The note of the move to resolved becomes the resolution, for the team; what
          you write here, the reporter can read.
        </p>
      )}
    </Card>
  );
}

function ResolutionForm({ incident }: OnReport) {
  const title = incident.resolution ? "Edit the resolution" : "Write the resolution";
  return (
    <Form
      action={updateAction}
      hidden={hiddenOf(incident)}
      dialog={{ trigger: incident.resolution ? "Edit…" : "Write…", title }}
    >
      <TextArea
        name="resolution"
        label="Resolution"
        hint="What was found and decided. The reporter can read it."
        defaultValue={incident.resolution ?? ""}
        maxLength={NOTES_MAX}
        count
      />
      <FormActions>
        <SubmitButton pendingLabel="Saving…">Save resolution</SubmitButton>
      </FormActions>
    </Form>
  );
}

const hiddenOf = (incident: Incident) => ({
  slug: incident.event.slug,
  incidentId: incident.id,
  ifMatch: incident.updatedAt,
});

const optionsOf = (people: readonly Person[]) => people.map(({ id, name }) => ({ value: id, label: name }));
