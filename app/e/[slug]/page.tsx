import { Megaphone } from "lucide-react";
import type { Metadata } from "next";
import { EventHead } from "#components/event/event-head.tsx";
import { eventBySlug, type EventOfPage, eventTitle } from "#components/event/this-event.ts";
import { NarrowFrame } from "#components/shell/narrow-frame.tsx";
import { page } from "#components/shell/page.tsx";
import { LinkButton } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { DefinitionList } from "#components/ui/definition-list.tsx";
import { TextLink } from "#components/ui/link.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { viewer } from "#lib/api/page.ts";
import { belongsTo, isTeam, type Actor } from "#lib/policy.ts";

type Props = { params: Promise<{ slug: string }> };

export const generateMetadata = ({ params }: Props): Promise<Metadata> => eventTitle(params);

/** The public page of an event: what it is, how people treat each other there, and where to report. */
export default page(async function EventPage({ params }: Props) {
  const { slug } = await params;
  const event = await eventBySlug(slug);
  const actor = await viewer();
  return (
    <NarrowFrame width="reading" aside={<Aside actor={actor} slug={slug} />}>
      <div className="grid gap-8">
        <EventHead event={event} />
        {!event.isActive && (
          <Notice title="This event is over">
            <p>Reports are still taken from its members, and the response team still reads them.</p>
          </Notice>
        )}
        <ReportHere event={event} actor={actor} />
        {actor && belongsTo(actor, { eventId: event.id }) && <ForMembers event={event} actor={actor} />}
        {event.description && <p className="reading">{event.description}</p>}
        <Conduct event={event} />
        <Contact event={event} />
      </div>
    </NarrowFrame>
  );
}, NarrowFrame);

function Aside({ actor, slug }: { actor: Actor | null; slug: string }) {
  const next = encodeURIComponent(`/e/${slug}`);
  return (
    <TextLink href={actor ? "/inbox" : `/login?next=${next}`} className="inline-flex min-h-11 items-center">
      {actor ? "Incidents" : "Sign in"}
    </TextLink>
  );
}

function ReportHere({ event, actor }: { event: EventOfPage; actor: Actor | null }) {
  const member = actor && belongsTo(actor, { eventId: event.id });
  return (
    <section aria-label="Report" className="grid justify-items-start gap-3">
      <LinkButton
        href={`/e/${event.slug}/report`}
        variant="primary"
        icon={Megaphone}
        className="w-full text-lg sm:w-auto sm:px-6 sm:py-3"
      >
        Report something that happened
      </LinkButton>
      <p className="max-w-[60ch] text-muted">{why(Boolean(actor), Boolean(member))}</p>
    </section>
  );
}

function why(signedIn: boolean, member: boolean): string {
  if (member) return "The response team of this event reads it. You can leave your name out.";
  if (signedIn)
    return "Reports are taken from members of this event. To become one, open the invite link that the event gave you.";
  return "You sign in first: reports here come from members of the event, so that the response team can answer you and you can see what becomes of your report. In the form you can still leave your name out.";
}

function ForMembers({ event, actor }: { event: EventOfPage; actor: Actor }) {
  const team = isTeam(actor, event.id);
  return (
    <nav aria-label="For members">
      <ul className="flex flex-wrap gap-2">
        <li>
          <LinkButton href={`/e/${event.slug}/incidents`}>{team ? "Reports" : "Your reports"}</LinkButton>
        </li>
        <li>
          <LinkButton href={`/e/${event.slug}/team`}>Team</LinkButton>
        </li>
      </ul>
    </nav>
  );
}

function Conduct({ event }: { event: EventOfPage }) {
  return (
    <Card title="Code of conduct">
      {event.codeOfConduct ? (
        <p className="reading">{event.codeOfConduct}</p>
      ) : (
        <p className="text-muted">
          This event has not put a code of conduct here yet. You can report all the same.
        </p>
      )}
    </Card>
  );
}

function Contact({ event }: { event: EventOfPage }) {
  if (!event.website && !event.contactEmail) return null;
  return (
    <Card title="Contact">
      <DefinitionList
        items={[
          ...(event.contactEmail
            ? [
                {
                  term: "E-mail",
                  value: (
                    <a className="text-link break-all" href={`mailto:${event.contactEmail}`}>
                      {event.contactEmail}
                    </a>
                  ),
                },
              ]
            : []),
          ...(event.website
            ? [
                {
                  term: "Website",
                  value: (
                    <a className="text-link break-all" href={event.website} rel="noreferrer">
                      {event.website}
                    </a>
                  ),
                },
              ]
            : []),
        ]}
      />
    </Card>
  );
}
