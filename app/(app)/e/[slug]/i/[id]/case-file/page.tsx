import type { Metadata } from "next";
import { useTranslator } from "#i18n";
import { loadTeamEventMetadata } from "#components/event/event-data.ts";
import { ClientMessagesProvider } from "#components/i18n/client-messages.tsx";
import { NativePostForm } from "#components/incident/post-form.tsx";
import { definePage } from "#components/shell/page.tsx";
import { Button } from "#components/ui/button.tsx";
import { Checkbox, TextField } from "#components/ui/field.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { CASE_FILE_PARTS, MAX_CASE_FILE_REASON_LENGTH } from "#lib/analytics/schema.ts";
import type { FormState } from "#lib/design/form-state.ts";
import type { SearchParams } from "#lib/design/query.ts";
import { sealWriterIdAsFormTicket, takeRefusedForm } from "#lib/http/form-drafts.ts";
import { getActorOrRedirectToSignIn, loadPageData } from "#lib/http/page.ts";
import { showIncident } from "#lib/incidents/operations.ts";
import { createForbiddenError } from "#lib/operation/errors.ts";
import { buildActorAsOutsidePerson, can } from "#lib/operation/policy.ts";
import { listIncidentReaders } from "#lib/readers/operations.ts";
import { EmergencyReaderNotice } from "../emergency-notices.tsx";

type Props = { params: Promise<{ slug: string; id: string }>; searchParams: Promise<SearchParams> };

export const generateMetadata = ({ params }: Pick<Props, "params">): Promise<Metadata> =>
  loadTeamEventMetadata(params);

/** The page on which the team chooses what goes into an incident's case file, and downloads it. */
export default definePage(async function CaseFilePage({ params, searchParams }: Props) {
  const { slug, id } = await params;
  const { return: returnKey } = await searchParams;
  const actor = buildActorAsOutsidePerson(await getActorOrRedirectToSignIn(), { slug, incidentId: id });
  const path = { slug, incidentId: id };
  const [{ incident }, { inEmergency }] = await Promise.all([
    loadPageData(showIncident, path),
    loadPageData(listIncidentReaders, path),
  ]);
  const subject = { eventId: incident.eventId, incidentId: id };
  if (!can(actor, "incident.downloadCase", subject)) throw createForbiddenError();
  const returned = typeof returnKey === "string" ? await takeRefusedForm(actor.id, returnKey) : null;
  const t = useTranslator("caseFile");
  const list = { label: incident.event.name, href: `/e/${slug}/incidents` };
  const action = `/e/${slug}/i/${id}/case-file/download`;
  return (
    <ClientMessagesProvider of={["ui", "caseFile"]}>
      <div className="grid gap-6">
        <PageHeader
          title={t("open")}
          breadcrumbs={[
            ...(actor.outsideIncidentId === undefined ? [list] : []),
            { label: incident.title, href: `/e/${slug}/i/${id}` },
          ]}
          meta={<p className="max-w-[68ch]">{t("about")}</p>}
        />
        {inEmergency ? (
          <EmergencyReaderNotice />
        ) : (
          <CaseFileForm action={action} ticket={sealWriterIdAsFormTicket(actor.id)} returned={returned} />
        )}
      </div>
    </ClientMessagesProvider>
  );
});

type FormProps = { action: string; ticket: string; returned: FormState | null };

/** Posts to a route instead of a server action, because the response is the file itself. */
function CaseFileForm({ action, ticket, returned }: FormProps) {
  const t = useTranslator("caseFile");
  return (
    <div className="max-w-[60ch]">
      <NativePostForm action={action} label={t("open")} hidden={{ ticket }} returned={returned}>
        <fieldset className="grid gap-1.5">
          <legend className="mb-1.5 font-[550]">{t("include")}</legend>
          <Checkbox
            name="timeline"
            label={t("timeline")}
            hint={t("timelineHint")}
            defaultChecked={CASE_FILE_PARTS.timeline}
          />
          <Checkbox
            name="files"
            label={t("files")}
            hint={t("filesHint")}
            defaultChecked={CASE_FILE_PARTS.files}
          />
          <Checkbox name="notes" label={t("notes")} hint={t("notesHint")} />
          <Checkbox name="messages" label={t("messages")} />
          <Checkbox name="conversations" label={t("conversations")} hint={t("conversationsHint")} />
        </fieldset>
        <TextField
          name="reason"
          label={t("why")}
          maxLength={MAX_CASE_FILE_REASON_LENGTH}
          required
          autoComplete="off"
        />
        <div>
          <Button type="submit" variant="primary">
            {t("download")}
          </Button>
        </div>
      </NativePostForm>
    </div>
  );
}
