import { useWords } from "#words";
import { Danger } from "#components/event/danger.tsx";
import { Handling } from "#components/event/handling.tsx";
import { eventBySlug, type EventOfPage, reportSettings } from "#components/event/this-event.ts";
import { QuickExit } from "#components/incident/quick-exit.tsx";
import { NarrowFrame } from "#components/shell/narrow-frame.tsx";
import { OfflineNotice } from "#components/shell/offline-notice.tsx";
import { page } from "#components/shell/page.tsx";
import { buttonClass } from "#components/ui/button-class.ts";
import { Glyph } from "#components/ui/glyph.tsx";
import { circleCheck } from "#lib/design/glyphs.ts";
import { ClientWords } from "#components/words/client-words.tsx";
import { checkSetup } from "#lib/accounts/operations.ts";
import { show } from "#lib/http/page.ts";
import { UUID } from "#lib/operation/fields.ts";
import type { Query } from "#lib/design/query.ts";

type Props = { params: Promise<{ slug: string }>; searchParams: Promise<Query> };

/** The report has arrived: thanks, what happens next, and whom one can talk to. */
export default page(async function ReportSent({ params, searchParams }: Props) {
  const { slug } = await params;
  const event = await eventBySlug(slug);
  const settings = await reportSettings(slug);
  const { supportContact } = await show(checkSetup);
  const t = useWords("report");
  const { id } = await searchParams;
  const named = typeof id === "string" && UUID.test(id) ? id : null;
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
      <ClientWords of={["quickExit"]}>
        <QuickExit to={settings.exitUrl} event={slug} />
      </ClientWords>
      <div className="grid gap-8">
        <div className="grid max-w-[60ch] gap-3">
          <Glyph of={circleCheck} size={32} className="text-positive" />
          <h1 className="text-2xl sm:text-3xl">{t("sent")}</h1>
          <p className="text-lg">{t("sentWho", { event: event.name })}</p>
          <p className="text-muted">{t(named ? "sentNamed" : "sentAnonymous")}</p>
        </div>
        <div className="flex flex-wrap gap-3">
          {named && (
            <a href={`/e/${slug}/i/${named}`} className={buttonClass("primary")}>
              {t("sentLook")}
            </a>
          )}
          <a href={`/e/${slug}`} className={buttonClass()}>
            {t("backToEvent")}
          </a>
        </div>
        <section className="grid gap-4 border-t border-line pt-6">
          <h2 className="text-xl">{t("next")}</h2>
          <Handling answerWithinHours={settings.answerWithinHours} from="read" anonymous={!named} />
        </section>
        <Talk event={event} supportContact={supportContact} />
        <Danger contact={settings.emergencyContact} />
      </div>
    </NarrowFrame>
  );
}, NarrowFrame);

function Talk({ event, supportContact }: { event: EventOfPage; supportContact: string | null }) {
  const t = useWords("report");
  const { contactEmail } = event;
  return (
    <section className="grid max-w-[60ch] gap-2 border-t border-line pt-6">
      <h2 className="text-xl">{t("talk")}</h2>
      <p>{t("talkTrust")}</p>
      {contactEmail && <p className="wrap-anywhere">{t("talkEvent", { contact: contactEmail })}</p>}
      {supportContact && <p className="wrap-anywhere">{t("talkService", { contact: supportContact })}</p>}
    </section>
  );
}
