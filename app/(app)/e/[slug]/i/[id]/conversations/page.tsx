import type { Metadata } from "next";
import { useTranslator } from "#i18n";
import { loadTeamEventMetadata } from "#components/event/event-data.ts";
import { ClientMessagesProvider } from "#components/i18n/client-messages.tsx";
import { definePage } from "#components/shell/page.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { sealWriterIdAsFormTicket } from "#lib/http/form-drafts.ts";
import { loadPageData, getActorOrRedirectToSignIn } from "#lib/http/page.ts";
import { showIncident } from "#lib/incidents/operations.ts";
import { listConversations } from "#lib/conversations/operations.ts";
import { listIncidentReaders } from "#lib/readers/operations.ts";
import { Card } from "#components/ui/card.tsx";
import { RadioGroup, TextField } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { OTHER_PARTIES, MAX_CONVERSATION_LABEL_LENGTH } from "#lib/conversations/schema.ts";
import { EmergencyReaderNotice } from "../emergency-notices.tsx";
import { ConversationTabs } from "../conversation-tabs.tsx";
import { ConversationCard } from "./conversation-card.tsx";
import { createConversationAction } from "./actions.ts";
import { NewWordsNotice } from "./new-words-notice.tsx";

type Props = { params: Promise<{ slug: string; id: string }> };

export const generateMetadata = ({ params }: Props): Promise<Metadata> => loadTeamEventMetadata(params);

/**
 * The page on which the team writes with reported people and witnesses, apart from the conversation with the reporter.
 */
export default definePage(async function ConversationsPage({ params }: Props) {
  const { slug, id } = await params;
  const actor = await getActorOrRedirectToSignIn();
  const path = { slug, incidentId: id };
  const [{ conversations }, { incident }, { inEmergency }] = await Promise.all([
    loadPageData(listConversations, path),
    loadPageData(showIncident, path),
    loadPageData(listIncidentReaders, path),
  ]);
  const context = { slug, incidentId: id, ticket: sealWriterIdAsFormTicket(actor.id), now: new Date() };
  const t = useTranslator("conversations");
  return (
    <ClientMessagesProvider of={["ui", "conversations"]}>
      <div className="grid gap-6">
        <PageHeader
          title={t("title")}
          breadcrumbs={[
            { label: incident.event.name, href: `/e/${slug}/incidents` },
            { label: incident.title, href: `/e/${slug}/i/${id}` },
          ]}
          meta={<p className="max-w-[68ch]">{t("lead")}</p>}
        />
        <ConversationTabs slug={slug} incidentId={id} current="others" />
        {inEmergency ? <EmergencyReaderNotice /> : <CreateConversationForm {...context} />}
        {conversations.length === 0 && <p className="text-muted">{t("none")}</p>}
        {conversations.map((conversation) => (
          <ConversationCard
            key={conversation.id}
            conversation={conversation}
            mayChange={!inEmergency}
            {...context}
          />
        ))}
      </div>
    </ClientMessagesProvider>
  );
});

type NewConversation = { slug: string; incidentId: string; ticket: string };

/** The form that creates a conversation, and shows its words once. */
function CreateConversationForm({ slug, incidentId, ticket }: NewConversation) {
  const t = useTranslator("conversations");
  return (
    <Card title={t("create")}>
      <Form
        action={createConversationAction}
        hidden={{ slug, incidentId, ticket }}
        label={t("create")}
        className="max-w-[60ch]"
        resetOnSuccess
      >
        <NewWordsNotice />
        <RadioGroup
          name="party"
          label={t("party")}
          options={OTHER_PARTIES.map((value) => ({ value, label: t(`party.${value}`) }))}
          defaultValue="reported_person"
          markOptional={false}
        />
        <TextField
          name="label"
          label={t("label")}
          hint={t("labelHint")}
          maxLength={MAX_CONVERSATION_LABEL_LENGTH}
          autoComplete="off"
          required
        />
        <FormActions>
          <SubmitButton pendingLabel={t("creating")}>{t("create")}</SubmitButton>
        </FormActions>
      </Form>
    </Card>
  );
}
