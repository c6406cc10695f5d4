import type { ReactNode } from "react";
import { useTranslator } from "#i18n";
import { CommentComposerFrame } from "#components/incident/composer-box.tsx";
import type { TimelineEntryWithComment } from "#components/incident/timeline.tsx";
import { CommentEditor } from "#components/incident/comment-editor.tsx";
import { Checkbox, TextArea } from "#components/ui/field.tsx";
import { FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { MAX_COMMENT_LENGTH } from "#lib/conversations/comment-schema.ts";
import { isolateBidi } from "#lib/design/bidi.ts";
import { canReachReporter, isReopenableState } from "#lib/incidents/lifecycle.ts";
import type { Incident } from "#lib/incidents/schema.ts";
import { saveInternalNoteAction, sendTeamOrReporterMessageAction } from "./actions.ts";
import { CommentForms } from "./comment-forms.tsx";
import { ConversationTabs } from "./conversation-tabs.tsx";
import type { AssignablePerson } from "./incident-fields.ts";
import { buildPlaceFields, type FormAccountBinding } from "./form-binding.ts";
import { AccountBoundForm } from "./ticketed-form.tsx";

/** The account that the viewer's comment forms belong to, and whether the viewer may delete other people's comments. */
export type CommentViewerPermissions = {
  writing: FormAccountBinding;
  /** The hidden fields that name the incident. */
  place: ReturnType<typeof buildPlaceFields>;
  mayDeleteAny: boolean;
};

type IncidentProps = { incident: Incident };
type ComposerProps = IncidentProps & { writing: FormAccountBinding };
type NoteProps = ComposerProps & { people: readonly AssignablePerson[] };

/** The team's two composers, kept visually apart so that they can't be mixed up. */
export function MessageToReporterAndNoteComposers({
  people,
  isHidden,
  ...composing
}: ComposerProps & { people: readonly AssignablePerson[]; isHidden: boolean }) {
  const { incident } = composing;
  return (
    <div id="talk" className="no-print grid scroll-mt-40 items-start gap-4 min-[75rem]:grid-cols-2">
      <div className="min-[75rem]:col-span-2">
        <ConversationTabs slug={incident.event.slug} incidentId={incident.id} current="reporter" />
      </div>
      {canReachReporter(incident) ? (
        <ReporterMessageForm {...composing} name={incident.reporter?.name ?? null} isHidden={isHidden} />
      ) : (
        <NoRecipientNotice incident={incident} />
      )}
      <TeamNoteForm {...composing} people={people} />
    </div>
  );
}

function TeamNoteForm({ people, incident, writing }: NoteProps) {
  const t = useTranslator("incidentPage");
  return (
    <CommentComposerFrame visibility="internal" title={t("noteTitle")} readers={t("noteReaders")}>
      <AccountBoundForm
        writing={writing}
        form="note"
        action={saveInternalNoteAction}
        of={buildPlaceFields(incident)}
        label={t("noteTitle")}
        className="gap-4"
        resetOnSuccess
      >
        <CommentEditor
          writer={writing.writer}
          place={`note ${incident.id}`}
          submitHint="saveKeys"
          people={people}
        >
          <TextArea
            name="body"
            label={t("note")}
            hint={t("noteHint")}
            rows={4}
            maxLength={MAX_COMMENT_LENGTH}
            required
            count
          />
        </CommentEditor>
        <FormActions>
          <SubmitButton variant="secondary" pendingLabel={t("saving")}>
            {t("noteSave")}
          </SubmitButton>
        </FormActions>
      </AccountBoundForm>
    </CommentComposerFrame>
  );
}

type RecipientProps = ComposerProps & { name: string | null; isHidden: boolean };

/**
 * @param name the reporter's name; null for an anonymous reporter, who reads messages in a mailbox
 * @param isHidden whether somebody on the team can't see the incident
 */
function ReporterMessageForm({ name, isHidden, ...composing }: RecipientProps) {
  const t = useTranslator("incidentPage");
  const key = isHidden ? "messageReadersExcept" : "messageReaders";
  const readers = name === null ? t("mailboxReaders") : t(key, { name: isolateBidi(name) });
  return (
    <CommentComposerFrame visibility="public" title={t("messageTitle")} readers={readers}>
      <MessageForm {...composing} to="reporter" label={t("messageTitle")} send={t("messageSend")}>
        {!isReopenableState(composing.incident.state) && (
          <Checkbox name="waitForReporter" label={t("waitForReporter")} hint={t("waitForReporterHint")} />
        )}
      </MessageForm>
    </CommentComposerFrame>
  );
}

type MessageProps = ComposerProps & {
  to: "reporter" | "team";
  label: string;
  send: string;
  /** Fields beside the text. */
  children?: ReactNode;
};

/** Messages between the team and the reporter. */
function MessageForm({ incident, writing, to, label, send, children }: MessageProps) {
  const t = useTranslator("ownReport");
  return (
    <AccountBoundForm
      writing={writing}
      form="message"
      action={sendTeamOrReporterMessageAction}
      of={buildPlaceFields(incident)}
      hidden={{ to }}
      label={label}
      className="gap-4"
      resetOnSuccess
    >
      <CommentEditor writer={writing.writer} place={`message ${incident.id}`} submitHint="sendKeys">
        <TextArea name="body" label={t("message")} rows={4} maxLength={MAX_COMMENT_LENGTH} required count />
      </CommentEditor>
      {children}
      <FormActions>
        <SubmitButton pendingLabel={t("sending")}>{send}</SubmitButton>
      </FormActions>
    </AccountBoundForm>
  );
}

/** Shown where a message couldn't be read by anybody. */
function NoRecipientNotice({ incident }: IncidentProps) {
  const t = useTranslator("incidentPage");
  return (
    <Notice title={t("nobodyReads")}>
      <p>{t(incident.mailboxClosed ? "nobodyReadsClosed" : "nobodyReadsWhy")}</p>
    </Notice>
  );
}

/** The reporter's message composer. `isHidden`: somebody on the team can't see the report. */
export function MessageToTeamComposer({ isHidden, ...composing }: ComposerProps & { isHidden: boolean }) {
  const { event, state } = composing.incident;
  const t = useTranslator("ownReport");
  return (
    <div id="talk" className="no-print scroll-mt-20">
      <CommentComposerFrame
        visibility="public"
        title={t("composerTitle")}
        readers={t(isHidden ? "composerReadersExcept" : "composerReaders", { event: event.name })}
      >
        {isReopenableState(state) && <p className="mb-4 max-w-[60ch]">{t("composerAfterClosing")}</p>}
        <MessageForm {...composing} to="team" label={t("composerTitle")} send={t("composerSend")} />
      </CommentComposerFrame>
    </div>
  );
}

type ActionsProps = { entry: TimelineEntryWithComment; viewer: CommentViewerPermissions };

/** Edit for the author; delete for the author and for Admins. */
export function CommentActions({ entry: { actor, comment }, viewer }: ActionsProps) {
  const isOwn = actor?.id === viewer.writing.writer;
  if (!isOwn && !viewer.mayDeleteAny) return null;
  return (
    <CommentForms
      place={viewer.place}
      writing={viewer.writing}
      isOwn={isOwn}
      id={comment.id}
      ifMatch={comment.updatedAt}
      body={comment.body}
      maxLength={MAX_COMMENT_LENGTH}
      what={comment.visibility === "internal" ? "note" : "message"}
    />
  );
}
