import type { Metadata } from "next";
import type { ReactNode } from "react";
import { useWords } from "#words";
import { Conduct } from "#components/event/conduct.tsx";
import { Danger } from "#components/event/danger.tsx";
import { EventHead } from "#components/event/event-head.tsx";
import { Handling } from "#components/event/handling.tsx";
import { PlainExit } from "#components/incident/exit-bar.tsx";
import { ReachNow } from "#components/event/reach-now.tsx";
import { Note } from "#components/event/note.tsx";
import {
  eventBySlug,
  type EventOfPage,
  eventTitle,
  reportSettings,
  type ReportSettingsOfPage,
} from "#components/event/this-event.ts";
import { NarrowFrame } from "#components/shell/narrow-frame.tsx";
import { page } from "#components/shell/page.tsx";
import { buttonClass } from "#components/ui/button-class.ts";
import { DefinitionList } from "#components/ui/definition-list.tsx";
import { Glyph } from "#components/ui/glyph.tsx";
import { megaphone } from "#lib/design/glyphs.ts";
import { viewer } from "#lib/http/page.ts";
import { type Actor, answersReports, belongsTo, isTeam } from "#lib/operation/policy.ts";

type Props = { params: Promise<{ slug: string }> };

export const generateMetadata = ({ params }: Props): Promise<Metadata> => eventTitle(params);

/**
 * The public page of an event: what it is, how people treat each other there, and where to report. It sends no script
 * of its own, so its parts are server components, links are plain, and icons are drawn by `Glyph`.
 */
export default page(async function EventPage({ params }: Props) {
  const { slug } = await params;
  const event = await eventBySlug(slug);
  const settings = await reportSettings(slug);
  const actor = await viewer();
  const member = actor !== null && belongsTo(actor, { eventId: event.id });
  return (
    <NarrowFrame width="reading" aside={<Aside actor={actor} slug={slug} />}>
      <PlainExit event={slug} />
      <div className="grid gap-10 pb-28 xl:pb-0">
        <EventHead event={event} />
        {!event.isActive && <Over />}
        <ReportHere event={event} reader={member ? "member" : actor ? "signedIn" : "visitor"} />
        {member && <ForMembers event={event} actor={actor} />}
        <Danger contact={settings.emergencyContact} />
        {event.description && (
          <p dir="auto" className="reading">
            {event.description}
          </p>
        )}
        <Rules event={event} />
        <Answers settings={settings} />
        <Contact event={event} />
      </div>
    </NarrowFrame>
  );
}, NarrowFrame);

function Aside({ actor, slug }: { actor: Actor | null; slug: string }) {
  const t = useWords("visitor");
  const next = encodeURIComponent(`/e/${slug}`);
  return (
    <a
      href={actor ? "/inbox" : `/login?next=${next}`}
      className="text-link inline-flex min-h-11 items-center"
    >
      {t(actor ? (answersReports(actor) ? "incidents" : "yourReports") : "signIn")}
    </a>
  );
}

function Over() {
  const t = useWords("visitor");
  return (
    <Note title={t("over")}>
      <p>{t("overWhy")}</p>
    </Note>
  );
}

const WHY = { member: "whyMember", signedIn: "whySignedIn", visitor: "whyVisitor" } as const;

function ReportHere({ event, reader }: { event: EventOfPage; reader: keyof typeof WHY }) {
  const t = useWords("visitor");
  return (
    <section aria-label={t("report")} className="grid justify-items-start gap-3">
      <a
        href={`/e/${event.slug}/report`}
        className={buttonClass("primary", "w-full py-3 text-lg sm:w-auto sm:px-6")}
      >
        <Glyph of={megaphone} className="rtl:-scale-x-100" />
        {t("reportSomething")}
      </a>
      <div className="grid max-w-[60ch] gap-1 text-muted">
        <p>{t(WHY[reader])}</p>
        {reader !== "member" && <ReachNow address={event.contactEmail} />}
      </div>
    </section>
  );
}

function ForMembers({ event, actor }: { event: EventOfPage; actor: Actor }) {
  const t = useWords("visitor");
  const base = `/e/${event.slug}`;
  return (
    <nav aria-label={t("forMembers")} className="-mt-4">
      <ul className="flex flex-wrap gap-2">
        <li>
          <a href={`${base}/incidents`} className={buttonClass()}>
            {t(isTeam(actor, event.id) ? "reports" : "yourReports")}
          </a>
        </li>
        <li>
          <a href={`${base}/team`} className={buttonClass()}>
            {t("team")}
          </a>
        </li>
      </ul>
    </nav>
  );
}

function Part({ id, title, children }: { id: string; title: string; children: ReactNode }) {
  return (
    <section aria-labelledby={id} className="grid gap-4 border-t border-line pt-6">
      <h2 id={id} className="text-xl">
        {title}
      </h2>
      {children}
    </section>
  );
}

function Rules({ event: { codeOfConduct } }: { event: EventOfPage }) {
  const t = useWords("visitor");
  return (
    <Part id="code-of-conduct" title={t("conduct")}>
      {codeOfConduct ? <Conduct text={codeOfConduct} /> : <p className="text-muted">{t("conductNone")}</p>}
    </Part>
  );
}

function Answers({ settings: { team, answerWithinHours } }: { settings: ReportSettingsOfPage }) {
  const t = useWords("visitor");
  return (
    <>
      <Part id="handled" title={t("handled")}>
        <Handling answerWithinHours={answerWithinHours} />
      </Part>
      {team.length > 0 && (
        <Part id="team" title={t("respond")}>
          <p className="text-muted">{t("respondWhy")}</p>
          <ul className="flex flex-wrap gap-2">
            {team.map(({ name }, at) => (
              <li
                key={`${at} ${name}`}
                className="min-w-0 rounded-control border border-line bg-surface px-3 py-1.5 wrap-anywhere"
              >
                <bdi>{name}</bdi>
              </li>
            ))}
          </ul>
        </Part>
      )}
    </>
  );
}

function Contact({ event: { contactEmail, website } }: { event: EventOfPage }) {
  const t = useWords("visitor");
  if (!website && !contactEmail) return null;
  const link = (href: string, words: string) => (
    <a className="text-link inline-flex min-h-11 items-center wrap-anywhere" href={href} rel="noreferrer">
      {words}
    </a>
  );
  return (
    <Part id="contact" title={t("contact")}>
      <DefinitionList
        items={[
          ...(contactEmail
            ? [{ term: t("email"), value: link(`mailto:${contactEmail}`, contactEmail) }]
            : []),
          ...(website ? [{ term: t("website"), value: link(website, website) }] : []),
        ]}
      />
    </Part>
  );
}
