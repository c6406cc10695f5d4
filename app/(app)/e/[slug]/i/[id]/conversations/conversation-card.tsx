import { useTranslator } from "#i18n";
import { DecisionDetails } from "#components/mailbox/decision-details.tsx";
import { Badge } from "#components/ui/badge.tsx";
import { Card } from "#components/ui/card.tsx";
import { DismissDialogButton } from "#components/ui/dismiss-button.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Time } from "#components/ui/time.tsx";
import { useDayFormatter } from "#components/ui/use-day-text.ts";
import { UserText } from "#components/ui/user-text.tsx";
import { isolateBidi } from "#lib/design/bidi.ts";
import type { SerializedConversation } from "#lib/conversations/schema.ts";
import { FormFieldsDisclosure } from "#components/ui/form-fields-disclosure.tsx";
import { closeConversationAction, renewWordsAction } from "./actions.ts";
import { DecisionForm, MessageToPartyForm } from "./message-forms.tsx";
import { NewWordsNotice } from "./new-words-notice.tsx";

type CardSharedProps = { slug: string; incidentId: string; ticket: string; now: Date };
type Props = CardSharedProps & { conversation: SerializedConversation; mayChange: boolean };
type Message = SerializedConversation["messages"][number];

/** One conversation as the team sees it. */
export function ConversationCard({ conversation, mayChange, now, ...path }: Props) {
  const t = useTranslator("conversations");
  const { id, party, label, closedOn, messages } = conversation;
  const hidden = { ...path, conversationId: id };
  return (
    <Card
      title={`${t(`party.${party}`)}: ${isolateBidi(label)}`}
      id={`conversation-${id}`}
      actions={closedOn ? <Badge>{t("closedOn")}</Badge> : mayChange && <CloseForm hidden={hidden} />}
    >
      <div className="grid gap-6">
        <ol aria-label={t("messages")} className="grid gap-3">
          {messages.length === 0 && <li className="text-muted">{t("noMessages")}</li>}
          {messages.map((message) => (
            <MessageItem key={message.id} message={message} now={now} />
          ))}
        </ol>
        <FileList conversation={conversation} {...path} />
        {!closedOn && mayChange && (
          <div className="grid gap-2">
            <MessageToPartyForm hidden={hidden} />
            <DecisionForm hidden={hidden} />
            <RenewWordsForm hidden={hidden} />
          </div>
        )}
      </div>
    </Card>
  );
}

function CloseForm({ hidden }: { hidden: Record<string, string> }) {
  const t = useTranslator("conversations");
  return (
    <Form
      action={closeConversationAction}
      hidden={hidden}
      dialog={{ trigger: t("close.open"), title: t("closeTitle") }}
    >
      <p>{t("closeText")}</p>
      <FormActions>
        <SubmitButton variant="danger">{t("close")}</SubmitButton>
        <DismissDialogButton outcome="leave" />
      </FormActions>
    </Form>
  );
}

function MessageItem({ message, now }: { message: Message; now: Date }) {
  const t = useTranslator("conversations");
  const isFromParty = message.from === "party";
  const author = message.author ? isolateBidi(message.author.name) : t("gone");
  return (
    <li
      className={`grid max-w-[68ch] gap-2 rounded-surface border border-line p-4 ${isFromParty ? "bg-surface" : "bg-sunken"}`}
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted">
        <span className="font-[550]">{isFromParty ? t("fromParty") : t("fromTeam", { name: author })}</span>
        {message.kind === "appeal" && <Badge tone="caution">{t("appeal")}</Badge>}
        {message.decision && <Badge>{t("decision")}</Badge>}
        <MessageTime message={message} now={now} />
      </div>
      {message.decision ? (
        <DecisionDetails decision={message.decision} />
      ) : (
        <UserText>{message.body}</UserText>
      )}
      {!isFromParty && <ReadingText message={message} />}
    </li>
  );
}

/** A holder's messages have no time finer than the day. */
function MessageTime({ message: { from, createdAt }, now }: { message: Message; now: Date }) {
  const formatDay = useDayFormatter();
  if (from === "party") return <span>{formatDay(createdAt)}</span>;
  return <Time value={createdAt} now={now} />;
}

function ReadingText({ message: { readOn } }: { message: Message }) {
  const t = useTranslator("conversations");
  const formatDay = useDayFormatter();
  return (
    <p className="text-sm text-muted">{readOn ? t("readOn", { day: formatDay(readOn) }) : t("notRead")}</p>
  );
}

function FileList({
  conversation: { id, files },
  slug,
  incidentId,
}: Pick<Props, "conversation" | "slug" | "incidentId">) {
  const t = useTranslator("conversations");
  if (files.length === 0) return null;
  const base = `/api/events/slug/${slug}/incidents/${incidentId}/conversations/${id}/files`;
  return (
    <div className="grid gap-1">
      <h3 className="text-sm text-muted">{t("files")}</h3>
      <ul>
        {files.map((file) => (
          <li key={file.id}>
            <a
              href={`${base}/${file.id}/download`}
              className="text-link inline-flex min-h-11 items-center wrap-anywhere"
            >
              <bdi>{file.filename}</bdi>
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The form that gives a conversation new words, and shows them once. */
function RenewWordsForm({ hidden }: { hidden: Record<string, string> }) {
  const t = useTranslator("conversations");
  return (
    <Form action={renewWordsAction} hidden={hidden} label={t("renew")} className="max-w-[60ch] gap-3">
      <FormFieldsDisclosure summary={t("renew")}>
        <div className="grid gap-4 py-2">
          <p>{t("renewText")}</p>
          <FormActions>
            <SubmitButton pendingLabel={t("creating")}>{t("renewConfirm")}</SubmitButton>
          </FormActions>
        </div>
      </FormFieldsDisclosure>
      <NewWordsNotice />
    </Form>
  );
}
