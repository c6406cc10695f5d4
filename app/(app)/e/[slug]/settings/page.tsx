import type { Metadata } from "next";
import { EventHeader } from "#components/event/event-header.tsx";
import { eventTitle } from "#components/event/this-event.ts";
import { page } from "#components/shell/page.tsx";
import { Card } from "#components/ui/card.tsx";
import { pageWords } from "#components/words/page-words.ts";
import { takeFormReturn } from "#lib/http/form-drafts.ts";
import { mustBeSignedIn, show } from "#lib/http/page.ts";
import type { Query } from "#lib/design/query.ts";
import { showEvent, showReportSettings } from "#lib/events/operations.ts";
import { showUsage } from "#lib/evidence/operations.ts";
import { ConductForm } from "./conduct-form.tsx";
import { EventForm } from "./event-form.tsx";
import { Logo } from "./logo.tsx";
import { ReportersForm } from "./reporters-form.tsx";
import { Space } from "./space.tsx";

type Props = { params: Promise<{ slug: string }>; searchParams: Promise<Query> };

export const generateMetadata = async ({ params }: Props): Promise<Metadata> =>
  eventTitle(params, (await pageWords("eventAdmin"))("settings.title"));

/** What the event's public page says, and what its reporters see, for its Admins. */
export default page(async function EventSettings({ params, searchParams }: Props) {
  const { slug } = await params;
  const actor = await mustBeSignedIn();
  const { event } = await show(showEvent, { slug });
  const { reportSettings } = await show(showReportSettings, { slug });
  const { usage } = await show(showUsage, { slug });
  const wanted = (await searchParams).return;
  const returned = typeof wanted === "string" ? await takeFormReturn(actor.id, wanted) : null;
  const t = await pageWords("eventAdmin");
  return (
    <div className="grid gap-6">
      <EventHeader event={event} actor={actor} current="settings" title={t("settings.title")} />
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="grid gap-6">
          <Card title={t("settings.event")}>
            <EventForm event={event} />
          </Card>
          <Card title={t("settings.reporters")} id="reporters">
            <ReportersForm slug={slug} settings={reportSettings} />
          </Card>
        </div>
        <div className="grid gap-6">
          <Card title={t("settings.logo")}>
            <Logo event={event} error={returned?.error} />
          </Card>
          <Card title={t("settings.space")}>
            <Space {...usage} />
          </Card>
        </div>
      </div>
      <Card title={t("settings.codeOfConduct")} id="conduct">
        <ConductForm event={event} />
      </Card>
    </div>
  );
});
