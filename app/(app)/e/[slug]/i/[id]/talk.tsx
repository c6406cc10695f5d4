import { useWords } from "#words";
import { ComposerBox } from "#components/incident/composer-box.tsx";
import type { Spoken } from "#components/incident/timeline.tsx";
import { WritingAids } from "#components/incident/writing-aids.tsx";
import { TextArea } from "#components/ui/field.tsx";
import { FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { COMMENT_MAX } from "#lib/comments/schema.ts";
import type { Incident } from "#lib/incidents/schema.ts";
import { changeCommentAction, deleteCommentAction, saveNoteAction, sendMessageAction } from "./actions.ts";
import type { Person } from "./moves.tsx";
import { OwnForm, type Writing } from "./own-form.tsx";

/** Who looks, and as what. */
export type Looking = { writing: Writing; team: boolean; mayDeleteAny: boolean };

type OnReport = { incident: Incident };
type Composing = OnReport & { writing: Writing };

/** Where the team says more: in two places that can't be mixed up. */
export function TeamComposers({ people, ...composing }: Composing & { people: readonly Person[] }) {
  const { incident } = composing;
  return (
    <div id="talk" className="no-print grid scroll-mt-40 items-start gap-4 min-[75rem]:grid-cols-2">
      {incident.reporter ? (
        <MessageToReporter {...composing} name={incident.reporter.name} />
      ) : (
        <NobodyReads />
      )}
      <NoteOfTheTeam {...composing} people={people} />
    </div>
  );
}

function NoteOfTheTeam({ people, incident, writing }: Composing & { people: readonly Person[] }) {
  const t = useWords("case");
  return (
    <ComposerBox visibility="internal" title={t("noteTitle")} readers={t("noteReaders")}>
      <OwnForm
        writing={writing}
        form="note"
        action={saveNoteAction}
        hidden={pathOf(incident)}
        label={t("noteTitle")}
        className="gap-4"
        resetOnSuccess
      >
        <WritingAids
          writer={writing.writer}
          place={`note ${incident.id}`}
          preview={previewOf(incident)}
          people={people}
        >
          <TextArea
            name="body"
            label={t("note")}
            hint={t("noteHint")}
            rows={4}
            maxLength={COMMENT_MAX}
            required
            count
          />
        </WritingAids>
        <FormActions>
          <SubmitButton variant="secondary" pendingLabel={t("saving")}>
            {t("noteSave")}
          </SubmitButton>
        </FormActions>
      </OwnForm>
    </ComposerBox>
  );
}

function MessageToReporter({ name, ...composing }: Composing & { name: string }) {
  const t = useWords("case");
  return (
    <ComposerBox visibility="public" title={t("messageTitle")} readers={t("messageReaders", { name })}>
      <MessageForm {...composing} to="reporter" label={t("messageTitle")} send={t("messageSend")} />
    </ComposerBox>
  );
}

type MessageProps = Composing & { to: "reporter" | "team"; label: string; send: string };

/** What the team and its reporter say to each other. */
function MessageForm({ incident, writing, to, label, send }: MessageProps) {
  const t = useWords("ownReport");
  return (
    <OwnForm
      writing={writing}
      form="message"
      action={sendMessageAction}
      hidden={{ ...pathOf(incident), to }}
      label={label}
      className="gap-4"
      resetOnSuccess
    >
      <WritingAids writer={writing.writer} place={`message ${incident.id}`} preview={previewOf(incident)}>
        <TextArea name="body" label={t("message")} rows={4} maxLength={COMMENT_MAX} required count />
      </WritingAids>
      <FormActions>
        <SubmitButton pendingLabel={t("sending")}>{send}</SubmitButton>
      </FormActions>
    </OwnForm>
  );
}

/** Nothing is offered that would reach nobody. */
function NobodyReads() {
  const t = useWords("case");
  return (
    <Notice title={t("nobodyReads")}>
      <p>{t("nobodyReadsWhy")}</p>
    </Notice>
  );
}

/** Where the reporter writes to the team. */
export function ReporterComposer(composing: Composing) {
  const { name: event } = composing.incident.event;
  const t = useWords("ownReport");
  return (
    <div id="talk" className="no-print scroll-mt-20">
      <ComposerBox visibility="public" title={t("composerTitle")} readers={t("composerReaders", { event })}>
        <MessageForm {...composing} to="team" label={t("composerTitle")} send={t("composerSend")} />
      </ComposerBox>
    </div>
  );
}

type ActionsProps = OnReport & { entry: Spoken; looking: Looking };

/** Edit for one's own; removal for one's own, and for Admins. */
export function CommentActions({ entry, incident, looking }: ActionsProps) {
  const t = useWords("ownReport");
  const { writing } = looking;
  const own = entry.actor?.id === writing.writer;
  if (!own && !looking.mayDeleteAny) return null;
  const what = entry.comment.visibility === "internal" ? "note" : "message";
  const { id: commentId, updatedAt: ifMatch } = entry.comment;
  const hidden = { ...pathOf(incident), commentId, ifMatch };
  return (
    <div className="no-print -ms-4 flex flex-wrap items-start gap-x-1">
      {own && <EditForm entry={entry} what={what} hidden={hidden} writing={writing} />}
      <OwnForm
        writing={writing}
        form={`delete:${commentId}`}
        action={deleteCommentAction}
        hidden={hidden}
        label={t(`${what}.delete`)}
        className="gap-4"
        dialog={{ trigger: t("delete"), title: t(`${what}.deleteTitle`), variant: "quiet" }}
        versions={{ theirs: <bdi>{entry.comment.body}</bdi>, yours: t(`${what}.delete`), field: "none" }}
      >
        <p>{t(`${what}.deleteAbout`)}</p>
        <FormActions>
          <SubmitButton variant="danger" pendingLabel={t("deleting")}>
            {t(`${what}.delete`)}
          </SubmitButton>
        </FormActions>
      </OwnForm>
    </div>
  );
}

type EditProps = {
  entry: Spoken;
  what: "note" | "message";
  hidden: Record<string, string>;
  writing: Writing;
};

function EditForm({ entry, what, hidden, writing }: EditProps) {
  const t = useWords("ownReport");
  return (
    <OwnForm
      writing={writing}
      form={`edit:${entry.comment.id}`}
      action={changeCommentAction}
      hidden={hidden}
      label={t(`${what}.edit`)}
      className="gap-4"
      dialog={{ trigger: t("edit"), title: t(`${what}.edit`), variant: "quiet" }}
      versions={{
        theirs: (
          <span dir="auto" className="block whitespace-pre-wrap">
            {entry.comment.body}
          </span>
        ),
        field: "body",
      }}
    >
      <TextArea
        name="body"
        label={t(what === "note" ? "noteLabel" : "message")}
        hint={t("editHint")}
        defaultValue={entry.comment.body}
        rows={4}
        maxLength={COMMENT_MAX}
        required
        count
      />
      <FormActions>
        <SubmitButton pendingLabel={t("saving")}>{t(`${what}.save`)}</SubmitButton>
      </FormActions>
    </OwnForm>
  );
}

const pathOf = (incident: Incident) => ({ slug: incident.event.slug, incidentId: incident.id });

const previewOf = ({ event, id }: Incident) =>
  `/api/events/slug/${event.slug}/incidents/${id}/comments/preview`;
