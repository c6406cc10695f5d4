import { redirect } from "next/navigation";
import { useTranslator } from "#i18n";
import { SentDraftRemover } from "#components/incident/sent-draft-remover.tsx";
import { LanguageChangeDraft } from "#components/intake/language-change-draft.tsx";
import { ReloadOnBack } from "#components/intake/reload-on-back.tsx";
import { NarrowFrame } from "#components/shell/narrow-frame.tsx";
import { definePage } from "#components/shell/page.tsx";
import { ClientMessagesProvider } from "#components/i18n/client-messages.tsx";
import { TextArea, TextField } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { isolateBidi } from "#lib/design/bidi.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { readSingleSearchParam, type SearchParams } from "#lib/design/query.ts";
import { sealWriterIdAsFormTicket, computeIntakeDraftName, takeRefusedForm } from "#lib/http/form-drafts.ts";
import { findActorWhoHandedOverDevice } from "#lib/http/handed-over-device.ts";
import { loadPageDataAsGivenActor, getActorOrRedirectToSignIn } from "#lib/http/page.ts";
import { showIncident } from "#lib/incidents/operations.ts";
import {
  type Incident,
  MAX_INCIDENT_DESCRIPTION_LENGTH,
  MAX_LOCATION_LENGTH,
  MAX_PARTIES_LENGTH,
  MAX_REPORTED_PERSON_NAME_LENGTH,
  MAX_INCIDENT_TITLE_LENGTH,
} from "#lib/incidents/schema.ts";
import { showIntake } from "#lib/conversations/intake-operations.ts";
import { isReceiptShownOnTeamDevice } from "#lib/conversations/hand-over.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { readOpenedMailboxSession } from "../../../../mailbox/opened-mailbox.ts";
import { confirmIntakeAction } from "./actions.ts";

type Props = { params: Promise<{ slug: string; id: string }>; searchParams: Promise<SearchParams> };

/**
 * The page on which the person reads and corrects what a team member wrote down for them. It shows nothing that is for
 * the team only. It has no title of its own, like other pages of reporters.
 */
export default definePage(async function ReadBackPage({ params, searchParams }: Props) {
  const { slug, id } = await params;
  const handingOver = await findActorWhoHandedOverDevice(id);
  const actor = handingOver ?? (await requireTaker(id));
  const path = { slug, incidentId: id };
  const { intake } = await loadPageDataAsGivenActor(actor, showIntake, path);
  const { incident } = await loadPageDataAsGivenActor(actor, showIncident, path);
  // On a device that isn't handed over, "Back" would show the person the team's pages.
  const isReadAloud = intake !== null && intake.channel !== "in_person";
  if (!intake?.canConfirm || !incident.unconfirmed || !(handingOver ?? isReadAloud))
    redirect(`/e/${slug}/i/${id}${await buildReadBackQuery(searchParams)}`);
  const query = await searchParams;
  const returned = await takeRefusedForm(actor.id, readSingleSearchParam(query, "return"));
  return (
    <NarrowFrame width="reading" home={`/e/${slug}`}>
      <ClientMessagesProvider of={["ui"]}>
        <div className="grid gap-8">
          {handingOver && <ReloadOnBack />}
          {query.filed && <SentDraftRemover draftName={computeIntakeDraftName(actor.id, slug)} />}
          <ReadBackHeader taker={intake.taker?.name ?? null} locked={handingOver !== null} />
          <ReadBackForm incident={incident} ticket={sealWriterIdAsFormTicket(actor.id)} returned={returned} />
          <AwaySection incident={incident} />
        </div>
      </ClientMessagesProvider>
    </NarrowFrame>
  );
}, NarrowFrame);

/**
 * Names the text of a form that was sent after its session had ended, in a query of the incident's page: the page of the
 * report shows it once the device is handed over again.
 */
async function buildReadBackQuery(searchParams: Props["searchParams"]): Promise<string> {
  const key = readSingleSearchParam(await searchParams, "return");
  return key === undefined ? "" : `?${new URLSearchParams({ readBack: key }).toString()}`;
}

/**
 * Returns the signed-in team member who took the report. Once the person has confirmed it, the device shows the words
 * of the receipt instead.
 */
async function requireTaker(incidentId: string): Promise<Actor> {
  const mailbox = await readOpenedMailboxSession();
  if (mailbox?.conversationId === incidentId && (await isReceiptShownOnTeamDevice(mailbox)))
    redirect("/mailbox");
  return getActorOrRedirectToSignIn();
}

function ReadBackHeader({ taker, locked }: { taker: string | null; locked: boolean }) {
  const t = useTranslator("intake");
  return (
    <header className="grid max-w-[60ch] gap-3">
      <p className="text-sm text-muted">{locked ? t("read.hand") : t("read.aloud")}</p>
      <h1 className="text-2xl sm:text-3xl">{t("read.title")}</h1>
      <p className="text-lg">{t("read.lead", { name: taker ? isolateBidi(taker) : t("read.someone") })}</p>
    </header>
  );
}

type FormProps = { incident: Incident; ticket: string; returned: FormState | null };

function ReadBackForm({ incident, ticket, returned }: FormProps) {
  const t = useTranslator("intake");
  const { id, event } = incident;
  return (
    <Form
      action={confirmIntakeAction}
      hidden={{ slug: event.slug, incidentId: id, ticket }}
      returned={returned}
      label={t("read.title")}
    >
      <LanguageChangeDraft name={`read back ${id}`} />
      <ReadBackFields incident={incident} />
      <FormActions>
        <SubmitButton pendingLabel={t("read.confirming")}>{t("read.confirm")}</SubmitButton>
      </FormActions>
    </Form>
  );
}

function ReadBackFields({ incident }: { incident: Incident }) {
  const { title, description, location, parties } = incident;
  const t = useTranslator("intake");
  return (
    <>
      <TextArea
        name="description"
        label={t("read.description")}
        defaultValue={description}
        rows={10}
        maxLength={MAX_INCIDENT_DESCRIPTION_LENGTH}
        count
        required
      />
      <TextField
        name="title"
        label={t("subject")}
        defaultValue={title}
        maxLength={MAX_INCIDENT_TITLE_LENGTH}
        autoComplete="off"
        required
      />
      <TextField
        name="location"
        label={t("where")}
        defaultValue={location ?? ""}
        maxLength={MAX_LOCATION_LENGTH}
        autoComplete="off"
      />
      <TextArea
        name="parties"
        label={t("who")}
        defaultValue={parties ?? ""}
        rows={3}
        maxLength={MAX_PARTIES_LENGTH}
      />
      {incident.conflictCheck && <ReportedPersonField name={incident.reportedPersonName} />}
    </>
  );
}

function ReportedPersonField({ name }: { name: string | null }) {
  const t = useTranslator("intake");
  const tReport = useTranslator("report");
  return (
    <TextField
      name="reportedPersonName"
      label={t("reportedPerson")}
      hint={tReport("reportedPersonHint")}
      defaultValue={name ?? ""}
      maxLength={MAX_REPORTED_PERSON_NAME_LENGTH}
      autoComplete="off"
    />
  );
}

function AwaySection({ incident: { id, event } }: { incident: Incident }) {
  const t = useTranslator("intake");
  return (
    <section aria-labelledby="away" className="grid max-w-[60ch] gap-2 border-t border-line pt-6">
      <h2 id="away" className="text-lg">
        {t("read.away.title")}
      </h2>
      <p className="text-muted">{t("read.away.text")}</p>
      <p>
        <a href={`/e/${event.slug}/i/${id}`} className="text-link inline-flex min-h-11 items-center">
          {t("read.away.link")}
        </a>
      </p>
    </section>
  );
}
