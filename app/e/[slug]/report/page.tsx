import type { ReactNode } from "react";
import { useLocale, useWords } from "#words";
import { Danger } from "#components/event/danger.tsx";
import { EventHead } from "#components/event/event-head.tsx";
import { useDuration } from "#components/event/handling.tsx";
import { ReachNow } from "#components/event/reach-now.tsx";
import { Note } from "#components/event/note.tsx";
import {
  eventBySlug,
  type EventOfPage,
  reportSettings,
  type ReportSettingsOfPage,
  responseTeam,
} from "#components/event/this-event.ts";
import { QuickExit } from "#components/incident/quick-exit.tsx";
import { ReportForm, type ReportLimits } from "#components/incident/report-form.tsx";
import { NarrowFrame } from "#components/shell/narrow-frame.tsx";
import { OfflineNotice } from "#components/shell/offline-notice.tsx";
import { page } from "#components/shell/page.tsx";
import { buttonClass } from "#components/ui/button-class.ts";
import { Checkbox, RadioGroup, SelectField, TextArea, TextField } from "#components/ui/field.tsx";
import { Glyph } from "#components/ui/glyph.tsx";
import { clock, type Drawing, eyeOff, siren, users } from "#lib/design/glyphs.ts";
import { ClientWords } from "#components/words/client-words.tsx";
import {
  createUploadToken,
  draftNameFor,
  formTicket,
  takeFormReturn,
  userOfTicket,
} from "#lib/http/form-drafts.ts";
import { mustBeSignedIn } from "#lib/http/page.ts";
import type { FormState } from "#lib/design/form-state.ts";
import type { Query } from "#lib/design/query.ts";
import { isolated } from "#lib/design/isolated.ts";
import { zoneNames } from "#lib/design/zones.ts";
import { type Kind, KINDS } from "#lib/incidents/kinds.ts";
import {
  DESCRIPTION_MAX,
  FILE_DESCRIPTION_MAX,
  FILES,
  LOCATION_MAX,
  PARTIES_MAX,
  TITLE_MAX,
  TITLE_MIN,
} from "#lib/incidents/schema.ts";
import { can } from "#lib/operation/policy.ts";

type Props = { params: Promise<{ slug: string }>; searchParams: Promise<Query> };

/** The report form, for members of the event. It has no title of its own: who reports, and where, is nobody else's business. */
export default page(async function ReportPage({ params, searchParams }: Props) {
  const { slug } = await params;
  const actor = await mustBeSignedIn();
  const event = await eventBySlug(slug);
  const settings = await reportSettings(slug);
  if (!can(actor, "incident.create", { eventId: event.id }))
    return <NotAMember event={event} settings={settings} />;
  const t = useWords("report");
  const wanted = (await searchParams).return;
  const returned = typeof wanted === "string" ? await takeFormReturn(actor.id, wanted) : null;
  const ticket = ticketFor(actor.id, returned);
  const names = (await responseTeam(slug)).map(({ name }) => name);
  const danger = <Danger contact={settings.emergencyContact} />;
  return (
    <NarrowFrame
      width="reading"
      home={`/e/${slug}`}
      notice={
        <ClientWords of={["offline"]}>
          <OfflineNotice />
        </ClientWords>
      }
    >
      <ClientWords of={["ui", "quickExit", "reportForm", "chosenFiles"]}>
        <QuickExit to={settings.exitUrl} event={slug} />
        <div className="grid gap-6">
          <EventHead event={event} title={t("title")} />
          {wanted !== undefined && <Returned found={returned !== null} />}
          <ReportForm
            slug={slug}
            writer={actor.id}
            ticket={ticket}
            sendTo={`/e/${slug}/report/send?upload=${createUploadToken()}`}
            returned={returned && { ...returned, values: { ...returned.values, ticket } }}
            limits={LIMITS}
            kinds={kindsInWords()}
            zones={ZONES}
            draftName={draftNameFor(actor.id, event.id)}
            danger={<FoldedDanger>{danger}</FoldedDanger>}
            kind={<KindField />}
            more={<More />}
            you={<You />}
            plainly={<Plainly />}
            covered={<Covered />}
            intro={
              <>
                <Before event={event} names={names} settings={settings} />
                {danger}
              </>
            }
          />
        </div>
      </ClientWords>
    </NarrowFrame>
  );
}, NarrowFrame);

/** A form that comes back keeps its ticket, so that what may have arrived isn't sent twice. */
function ticketFor(userId: string, returned: FormState | null): string {
  const { ticket = null } = returned?.values ?? {};
  return ticket !== null && userOfTicket(ticket) === userId ? ticket : formTicket(userId);
}

function FoldedDanger({ children }: { children: ReactNode }) {
  const t = useWords("reportForm");
  return (
    <details className="border-t border-line pt-2">
      <summary className="inline-flex min-h-11 items-center gap-2 font-[550] text-accent">
        <Glyph of={siren} />
        {t("danger")}
      </summary>
      {children}
    </details>
  );
}

/** What stands in the form as it is, here and below: the less of it is script. */
function KindField() {
  const t = useWords("reportForm");
  return <SelectField name="type" label={t("field.type")} prompt={t("kindNone")} options={kindsInWords()} />;
}

function More() {
  const t = useWords("reportForm");
  return (
    <>
      <TextField
        name="location"
        label={t("field.location")}
        hint={t("locationHint")}
        maxLength={LOCATION_MAX}
      />
      <TextArea
        name="parties"
        label={t("field.parties")}
        hint={t("partiesHint")}
        rows={3}
        maxLength={PARTIES_MAX}
        count
      />
      <RadioGroup
        name="severity"
        label={t("field.severity")}
        options={(["none", "low", "medium", "high", "critical"] as const).map((value) => ({
          value: value === "none" ? "" : value,
          label: t(`severity.${value}`),
        }))}
        defaultValue=""
        markOptional={false}
      />
    </>
  );
}

function You() {
  const t = useWords("reportForm");
  return (
    <>
      <Checkbox name="anonymous" value="true" label={t("field.anonymous")} hint={<AboutAnonymous />} />
      <div className="if-named">
        <RadioGroup
          name="contactMethod"
          label={t("field.contactMethod")}
          defaultValue="email"
          markOptional={false}
          options={[
            { value: "email", label: t("contact.email"), hint: t("contactEmailHint") },
            { value: "phone", label: t("contact.phone"), hint: t("contactPhoneHint") },
            { value: "in_person", label: t("contact.in_person"), hint: t("contactPersonHint") },
            { value: "no_contact", label: t("contact.no_contact") },
          ]}
        />
      </div>
    </>
  );
}

function AboutAnonymous() {
  const t = useWords("reportForm");
  return (
    <div className="grid gap-1.5">
      <p>{t("anonymousKept")}</p>
      <p>{t("anonymousPrice")}</p>
      <p>{t("anonymousTraces")}</p>
      <p>{t("anonymousFiles")}</p>
    </div>
  );
}

function Plainly() {
  const t = useWords("reportForm");
  return <p className="max-w-[60ch] text-sm text-muted">{t("unscripted")}</p>;
}

function Covered() {
  const t = useWords("live");
  const ui = useWords("ui");
  return (
    <section role="alert" className="grid gap-4 rounded-surface border border-line bg-surface p-4 sm:p-6">
      <h2 className="text-xl">{t("signedOut.title")}</h2>
      <p>{t("signedOut.text")}</p>
      <a
        href="/login?next=%2Fsigned-in"
        target="_blank"
        rel="noopener"
        className={buttonClass("primary", "justify-self-start")}
      >
        {ui("signInNewTab")}
      </a>
    </section>
  );
}

const LIMITS: ReportLimits = {
  title: { min: TITLE_MIN, max: TITLE_MAX },
  description: DESCRIPTION_MAX,
  files: FILES,
  fileLine: FILE_DESCRIPTION_MAX,
};

const ZONES = zoneNames().join(" ");

/** The kinds as they are stored, each with its words in the reader's language. */
function kindsInWords() {
  const t = useWords("incident");
  return Object.entries(KINDS).map(([kind, value]) => ({ value, label: t(`kind.${kind as Kind}`) }));
}

function Returned({ found }: { found: boolean }) {
  const t = useWords("report");
  return (
    <Note title={t(found ? "returned" : "gone")}>
      <p>{t(found ? "returnedFiles" : "goneWhy")}</p>
    </Note>
  );
}

type BeforeProps = { event: EventOfPage; names: readonly string[]; settings: ReportSettingsOfPage };

/** What one should know before: who reads it, how soon one hears, what it takes. */
function Before({ event, names, settings }: BeforeProps) {
  const t = useWords("report");
  const time = useDuration(settings.answerWithinHours);
  const listed = useListed(names);
  return (
    <ul className="grid gap-4">
      <Fact icon={users} title={t("who")}>
        <p>
          {names.length > 0
            ? t("whoTeam", { event: isolated(event.name), names: listed })
            : t("whoNobody", { event: isolated(event.name) })}
        </p>
        {event.contactEmail && <p>{t("whoOther", { contact: event.contactEmail })}</p>}
      </Fact>
      <Fact icon={clock} title={t("how")}>
        {time && <p>{t("howSoon", { time })}</p>}
        <p>{t("howLong")}</p>
      </Fact>
      <Fact icon={eyeOff} title={t("yourName")}>
        <p>{t("howName")}</p>
      </Fact>
    </ul>
  );
}

type FactProps = { icon: Drawing; title: string; children: ReactNode };

function Fact({ icon, title, children }: FactProps) {
  return (
    <li className="flex gap-3">
      <Glyph of={icon} size={24} className="text-accent" />
      <div className="grid max-w-[60ch] min-w-0 gap-1">
        <p className="font-[650]">{title}</p>
        {children}
      </div>
    </li>
  );
}

/** "Ana, Ben and Cy"; from nine on, eight of them and how many more. */
function useListed(names: readonly string[]): string {
  const t = useWords("report");
  const locale = useLocale();
  const apart = names.map(isolated);
  const shown = names.length > 9 ? [...apart.slice(0, 8), t("whoMore", { count: names.length - 8 })] : apart;
  return new Intl.ListFormat(locale, { type: "conjunction" }).format(shown);
}

type NotAMemberProps = { event: EventOfPage; settings: ReportSettingsOfPage };

function NotAMember({ event, settings }: NotAMemberProps) {
  const t = useWords("report");
  const { contactEmail } = event;
  return (
    <NarrowFrame width="reading" home={`/e/${event.slug}`}>
      <ClientWords of={["quickExit"]}>
        <QuickExit to={settings.exitUrl} event={event.slug} />
      </ClientWords>
      <div className="grid gap-6">
        <EventHead event={event} title={t("notMember")} />
        <div className="grid max-w-[60ch] gap-3 text-lg">
          <p>{t("notMemberWhy")}</p>
          <p>{contactEmail ? t("notMemberAsk", { contact: contactEmail }) : t("notMemberHow")}</p>
          <ReachNow address={contactEmail} />
        </div>
        <Danger contact={settings.emergencyContact} />
        <div>
          <a href={`/e/${event.slug}`} className={buttonClass()}>
            {t("backToEvent")}
          </a>
        </div>
      </div>
    </NarrowFrame>
  );
}
