import type { Metadata } from "next";
import { EventHead } from "#components/event/event-head.tsx";
import { eventBySlug, type EventOfPage, eventTitle, responseTeam } from "#components/event/this-event.ts";
import { QuickExit } from "#components/incident/quick-exit.tsx";
import { ReportForm, type ReportLimits } from "#components/incident/report-form.tsx";
import { NarrowFrame } from "#components/shell/narrow-frame.tsx";
import { page } from "#components/shell/page.tsx";
import { LinkButton } from "#components/ui/button.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { formTicket, takeFormReturn } from "#lib/api/form-return.ts";
import { mustBeSignedIn } from "#lib/api/page.ts";
import type { Query } from "#lib/design/query.ts";
import {
  DESCRIPTION_MAX,
  FILES,
  LOCATION_MAX,
  PARTIES_MAX,
  TITLE_MAX,
  TITLE_MIN,
} from "#lib/incidents/schema.ts";
import { can } from "#lib/policy.ts";

type Props = { params: Promise<{ slug: string }>; searchParams: Promise<Query> };

/** The title names the event only: it stays in histories and on shared screens. */
export const generateMetadata = ({ params }: Props): Promise<Metadata> => eventTitle(params);

/** The report form, for members of the event. */
export default page(async function ReportPage({ params, searchParams }: Props) {
  const { slug } = await params;
  const actor = await mustBeSignedIn();
  const event = await eventBySlug(slug);
  if (!can(actor, "incident.create", { eventId: event.id })) return <NotAMember event={event} />;
  const wanted = (await searchParams).return;
  const returned = typeof wanted === "string" ? await takeFormReturn(actor.id, wanted) : null;
  const names = (await responseTeam(slug)).map(({ name }) => name);
  return (
    <NarrowFrame width="reading" home={`/e/${slug}`}>
      <QuickExit />
      <div className="grid gap-8 pb-16 sm:pb-0">
        <EventHead event={event} title="Report something that happened" />
        {wanted !== undefined && <Returned found={returned !== null} />}
        <WhoReadsThis event={event} names={names} />
        <ReportForm
          slug={slug}
          sendTo={`/e/${slug}/report/send?ticket=${formTicket(actor.id)}`}
          returned={returned}
          limits={LIMITS}
        />
      </div>
    </NarrowFrame>
  );
}, NarrowFrame);

const LIMITS: ReportLimits = {
  title: { min: TITLE_MIN, max: TITLE_MAX },
  description: DESCRIPTION_MAX,
  location: LOCATION_MAX,
  parties: PARTIES_MAX,
  files: FILES,
};

function Returned({ found }: { found: boolean }) {
  return found ? (
    <Notice kind="warning" title="Not sent yet. Your words are back in the form">
      <p>Files can't be kept: if you had chosen some, choose them again before you send.</p>
    </Notice>
  ) : (
    <Notice kind="warning" title="What you wrote before is not here any more">
      <p>For your safety it waits 15 minutes only, and is shown once. Nothing of it was sent.</p>
    </Notice>
  );
}

function WhoReadsThis({ event, names }: { event: EventOfPage; names: readonly string[] }) {
  return (
    <Notice title="Who reads this">
      <p>
        {names.length > 0
          ? `The response team of ${event.name}: ${listed(names)}. Nobody else at the event; whoever runs this service could, too.`
          : `The response team of ${event.name}. Nobody is in it yet, so please also tell someone in person.`}
      </p>
      {event.contactEmail && (
        <p>Is it about one of them? Then write to {event.contactEmail} instead, or to somebody you trust.</p>
      )}
      <p>In danger now? Call the emergency number of the place where you are first.</p>
      <p className="text-muted">
        “Leave this page quickly”, or the Shift key pressed three times, takes you to another site. It does
        not clear your browser history.
      </p>
    </Notice>
  );
}

/** "Ana, Ben and Cy"; from nine on, eight of them and how many more. */
function listed(names: readonly string[]): string {
  const shown = names.length > 9 ? [...names.slice(0, 8), `${names.length - 8} more`] : names;
  return shown.length < 2 ? (shown[0] ?? "") : `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}`;
}

function NotAMember({ event }: { event: EventOfPage }) {
  return (
    <NarrowFrame width="reading" home={`/e/${event.slug}`}>
      <div className="grid gap-6">
        <EventHead event={event} title="You are not a member of this event yet" />
        <div className="grid max-w-[60ch] gap-3 text-lg">
          <p>
            Reports are taken from its members, so that the response team knows they come from people who were
            there.
          </p>
          <p>
            To become a member, open the invite link that the event gave you
            {event.contactEmail ? `, or ask for one at ${event.contactEmail}` : ""}. Then come back to this
            page.
          </p>
        </div>
        <div>
          <LinkButton href={`/e/${event.slug}`}>Back to the event</LinkButton>
        </div>
      </div>
    </NarrowFrame>
  );
}
