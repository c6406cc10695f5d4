import { CommentList, ComposerBox, type Said } from "#components/incident/comment-list.tsx";
import { counted } from "#components/incident/words.ts";
import { Card } from "#components/ui/card.tsx";
import { TextArea } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { Pagination } from "#components/ui/pagination.tsx";
import type { Query } from "#lib/design/query.ts";
import { COMMENT_MAX } from "#lib/comments/schema.ts";
import type { Incident } from "#lib/incidents/schema.ts";
import { changeCommentAction, deleteCommentAction, saveNoteAction, sendMessageAction } from "./actions.ts";

export type Talk = {
  comments: readonly Said[];
  pagination: { page: number; total: number; totalPages: number };
};

/** Who looks, and as what. */
export type Looking = { actorId: string; team: boolean; mayDeleteAny: boolean };

type Props = { incident: Incident; talk: Talk; looking: Looking; query: Query; now: Date };

/** What was said around a report, and where to say more: for the team in two places that can't be mixed up. */
export function Conversation({ incident, talk, looking, query, now }: Props) {
  const { comments, pagination } = talk;
  return (
    <Card title="Conversation" id="conversation">
      <div className="grid gap-5">
        <p className="text-muted">{summary(pagination.total, looking.team)}</p>
        {comments.length > 0 && (
          <CommentList
            comments={comments}
            now={now}
            label={(comment) => labelOf(comment, incident, looking)}
            actions={(comment) => <Actions comment={comment} incident={incident} looking={looking} />}
          />
        )}
        <Pagination
          path={`/e/${incident.event.slug}/i/${incident.id}`}
          query={query}
          page={pagination.page}
          pages={pagination.totalPages}
          param="comments"
          label="Pages of the conversation"
          keepFirst
        />
        {looking.team ? <TeamComposers incident={incident} /> : <ReporterComposer incident={incident} />}
      </div>
    </Card>
  );
}

function summary(total: number, team: boolean): string {
  if (total === 0) return team ? "No messages and no notes yet." : "No messages yet.";
  return team
    ? `${counted(total, "message or note", "messages and notes")}.`
    : `${counted(total, "message")}.`;
}

function labelOf({ visibility, author }: Said, { reporterId }: Incident, { team }: Looking): string {
  if (visibility === "internal") return "Team note";
  const fromReporter = reporterId !== null && author?.id === reporterId;
  if (team) return fromReporter ? "From the reporter" : "Message to reporter";
  return fromReporter ? "From you" : "From the team";
}

function TeamComposers({ incident }: { incident: Incident }) {
  return (
    <div className="no-print grid items-start gap-4 md:grid-cols-2">
      {incident.reporter ? (
        <MessageToReporter incident={incident} name={incident.reporter.name} />
      ) : (
        <Nobody />
      )}
      <ComposerBox
        visibility="internal"
        title="Team note"
        readers="Only the response team reads this. The reporter never does."
      >
        <Form
          action={saveNoteAction}
          hidden={pathOf(incident)}
          label="Team note"
          className="gap-4"
          resetOnSuccess
        >
          <TextArea
            name="body"
            label="Note"
            hint="Write @ and somebody's full name to let them know."
            rows={4}
            maxLength={COMMENT_MAX}
            required
            count
          />
          <FormActions>
            <SubmitButton variant="secondary" pendingLabel="Saving…">
              Save note
            </SubmitButton>
          </FormActions>
        </Form>
      </ComposerBox>
    </div>
  );
}

function MessageToReporter({ incident, name }: { incident: Incident; name: string }) {
  return (
    <ComposerBox
      visibility="public"
      title="Message to reporter"
      readers={`${name} reads this, and so does the response team.`}
    >
      <Form
        action={sendMessageAction}
        hidden={pathOf(incident)}
        label="Message to reporter"
        className="gap-4"
        resetOnSuccess
      >
        <TextArea name="body" label="Message" rows={4} maxLength={COMMENT_MAX} required count />
        <FormActions>
          <SubmitButton pendingLabel="Sending…">Send to reporter</SubmitButton>
        </FormActions>
      </Form>
    </ComposerBox>
  );
}

/** Nothing is offered that would reach nobody. */
function Nobody() {
  return (
    <Notice title="Nobody can read messages to the reporter">
      <p>
        This report is anonymous, and no account is kept with it. What the team has to say among itself goes
        into a note.
      </p>
    </Notice>
  );
}

function ReporterComposer({ incident }: { incident: Incident }) {
  return (
    <div className="no-print">
      <ComposerBox
        visibility="public"
        title="Message to the team"
        readers={`The response team of ${incident.event.name} reads this, and nobody else at the event.`}
      >
        <Form
          action={sendMessageAction}
          hidden={{ ...pathOf(incident), to: "team" }}
          label="Message to the team"
          className="gap-4"
          resetOnSuccess
        >
          <TextArea name="body" label="Message" rows={4} maxLength={COMMENT_MAX} required count />
          <FormActions>
            <SubmitButton pendingLabel="Sending…">Send to the team</SubmitButton>
          </FormActions>
        </Form>
      </ComposerBox>
    </div>
  );
}

type ActionsProps = { comment: Said; incident: Incident; looking: Looking };

/** Edit for one's own; removal for one's own, and for Admins. */
function Actions({ comment, incident, looking }: ActionsProps) {
  const own = comment.author?.id === looking.actorId;
  if (!own && !looking.mayDeleteAny) return null;
  const what = comment.visibility === "internal" ? "note" : "message";
  const hidden = { ...pathOf(incident), commentId: comment.id, ifMatch: comment.updatedAt };
  return (
    <div className="no-print -ms-4 flex flex-wrap items-start gap-x-1">
      {own && <EditForm comment={comment} what={what} hidden={hidden} />}
      <Form
        action={deleteCommentAction}
        hidden={hidden}
        label={`Delete the ${what}`}
        className="gap-4"
        dialog={{ trigger: "Delete…", title: `Delete this ${what}?`, variant: "quiet" }}
      >
        <p>
          Its words and what it said before are gone for everybody. That there was a {what} stays in the
          history.
        </p>
        <FormActions>
          <SubmitButton variant="danger" pendingLabel="Deleting…">
            Delete {what}
          </SubmitButton>
        </FormActions>
      </Form>
    </div>
  );
}

type EditProps = { comment: Said; what: string; hidden: Record<string, string> };

function EditForm({ comment, what, hidden }: EditProps) {
  return (
    <Form
      action={changeCommentAction}
      hidden={hidden}
      label={`Edit the ${what}`}
      className="gap-4"
      dialog={{ trigger: "Edit…", title: `Edit the ${what}`, variant: "quiet" }}
    >
      <TextArea
        name="body"
        label={what === "note" ? "Note" : "Message"}
        hint="It is marked as edited, and the team can see what it said before."
        defaultValue={comment.body}
        rows={4}
        maxLength={COMMENT_MAX}
        required
        count
      />
      <FormActions>
        <SubmitButton pendingLabel="Saving…">Save {what}</SubmitButton>
      </FormActions>
    </Form>
  );
}

const pathOf = (incident: Incident) => ({ slug: incident.event.slug, incidentId: incident.id });
