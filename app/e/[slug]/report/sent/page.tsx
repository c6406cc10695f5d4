import { CircleCheck } from "lucide-react";
import type { Metadata } from "next";
import { eventBySlug, eventTitle } from "#components/event/this-event.ts";
import { QuickExit } from "#components/incident/quick-exit.tsx";
import { FOR_THE_REPORTER } from "#components/incident/words.ts";
import { NarrowFrame } from "#components/shell/narrow-frame.tsx";
import { page } from "#components/shell/page.tsx";
import { LinkButton } from "#components/ui/button.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { UUID } from "#lib/api/text.ts";
import type { Query } from "#lib/design/query.ts";

type Props = { params: Promise<{ slug: string }>; searchParams: Promise<Query> };

export const generateMetadata = ({ params }: Props): Promise<Metadata> => eventTitle(params);

/** The report has arrived: thanks, and what happens next. */
export default page(async function ReportSent({ params, searchParams }: Props) {
  const { slug } = await params;
  const event = await eventBySlug(slug);
  const { id } = await searchParams;
  const named = typeof id === "string" && UUID.test(id) ? id : null;
  return (
    <NarrowFrame width="reading" home={`/e/${slug}`}>
      <QuickExit />
      <div className="grid max-w-[60ch] gap-6 pb-16 sm:pb-0">
        <div className="grid gap-3">
          <Icon as={CircleCheck} size={32} className="text-positive" />
          <h1 className="text-2xl sm:text-3xl">Your report has arrived. Thank you</h1>
          <p className="text-lg">The response team of {event.name} can read it now.</p>
        </div>
        <section className="grid gap-3">
          <h2 className="text-xl">What happens next</h2>
          <ol className="grid list-decimal gap-2 ps-6">
            <li>{FOR_THE_REPORTER.submitted.next}</li>
            <li>{FOR_THE_REPORTER.acknowledged.next}</li>
            <li>{FOR_THE_REPORTER.investigating.next}</li>
          </ol>
          <p className="text-muted">
            {named
              ? "You can see how it stands at any time, under your reports."
              : "Your name was left out: the report is not in your list, and the team can't answer you. If you want to know what became of it, ask the team in person."}
          </p>
        </section>
        <div className="flex flex-wrap gap-3">
          {named && (
            <LinkButton href={`/e/${slug}/i/${named}`} variant="primary">
              Look at your report
            </LinkButton>
          )}
          <LinkButton href={`/e/${slug}`}>Back to the event</LinkButton>
        </div>
      </div>
    </NarrowFrame>
  );
}, NarrowFrame);
