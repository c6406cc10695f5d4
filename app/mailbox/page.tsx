import type { ReactNode } from "react";
import { useTranslator } from "#i18n";
import { EmergencyContactsNotice } from "#components/event/emergency-notice.tsx";
import { findEventReportSettingsOfPage, loadQuickExitTarget } from "#components/event/event-data.ts";
import { NewReportReadersText } from "#components/event/new-report-readers.tsx";
import { QuickExit } from "#components/incident/quick-exit.tsx";
import { ReloadOnBack } from "#components/intake/reload-on-back.tsx";
import { MailboxReceiptEntryForm } from "./entry.tsx";
import { MailboxView, type SerializedMailbox } from "./mailbox-view.tsx";
import { ReceiptRemovedFromDeviceView, ReceiptHandoverView, ReceiptView } from "./receipt-view.tsx";
import {
  MailboxOrLetterboxLockBroadcaster,
  MailboxOrLetterboxLockReloader,
} from "#components/mailbox/lock-sync.tsx";
import {
  readFileUploadResultFromQuery,
  MailboxOrLetterboxResultNotice,
} from "#components/mailbox/result-notice.tsx";
import { NarrowFrame } from "#components/shell/narrow-frame.tsx";
import { definePage } from "#components/shell/page.tsx";
import type { NoticeKind } from "#components/ui/notice.tsx";
import { ClientMessagesProvider } from "#components/i18n/client-messages.tsx";
import { readSingleSearchParam, type SearchParams } from "#lib/design/query.ts";
import { env } from "#lib/env.ts";
import { createPageCallContext, loadOptionalPageData } from "#lib/http/page.ts";
import { takeRefusedFormAndVisitorId } from "#lib/http/visitor-form.ts";
import { isMailboxClosed } from "#lib/mailbox/closed.ts";
import { isReceiptShownOnTeamDevice } from "#lib/mailbox/hand-over.ts";
import { showMailbox } from "#lib/mailbox/operations.ts";
import { readOpenedMailboxTag, readOpenedMailboxSession } from "./opened-mailbox.ts";

type Props = { searchParams: Promise<SearchParams> };

/**
 * The page on which the sender of an anonymous report comes back to it: the field for the receipt, the receipt itself
 * until it is saved, or the mailbox. It has no title of its own, so that browser history doesn't show that somebody
 * reported.
 */
export default definePage(async function MailboxPage({ searchParams }: Props) {
  const query = await searchParams;
  const session = await readOpenedMailboxSession();
  if (session?.handOverUntil !== undefined && (await isReceiptShownOnTeamDevice(session)))
    return renderHandOver(session.receipt, session.handOverUntil);
  const page = Math.max(1, Number(readSingleSearchParam(query, "page")) || 1);
  const done = readSingleSearchParam(query, "done") ?? "";
  // The sent form belonged to another mailbox: its text must not appear in the one that is open.
  const opened =
    session && done !== "other" && (await loadOptionalPageData(showMailbox, {}, { page: String(page) }));
  const mailbox = opened ? opened.mailbox : null;
  if (!mailbox && done === "handedOver")
    return (
      <TeamDevicePage>
        <ReceiptRemovedFromDeviceView />
      </TeamDevicePage>
    );
  const isClosed = session !== null && opened === null && (await isMailboxClosed(session));
  const exit = await loadQuickExitTarget(mailbox?.event.slug ?? null);
  return (
    <NarrowFrame width="reading" home={mailbox ? `/e/${mailbox.event.slug}` : "/"}>
      <ClientMessagesProvider of={["ui", "quickExit", "receiptActions"]}>
        <QuickExit {...exit} />
        {!mailbox && <MailboxOrLetterboxLockBroadcaster path="/mailbox" />}
        <div className="grid gap-8 pb-28 xl:pb-0">
          <ActionResultNotice done={isClosed ? "closed" : done} />
          {mailbox
            ? await renderOpened(mailbox, { query, isJustSent: session?.fresh === true })
            : await renderEntry(query, isClosed)}
        </div>
      </ClientMessagesProvider>
    </NarrowFrame>
  );
}, NarrowFrame);

const renderHandOver = async (receipt: string | undefined, shownUntil: number): Promise<ReactNode> => (
  <TeamDevicePage>
    <ReceiptHandoverView {...await describeReceipt(receipt)} shownForMs={shownUntil - Date.now()} />
  </TeamDevicePage>
);

const renderEntry = async (query: SearchParams, isClosed: boolean): Promise<ReactNode> => (
  <MailboxReceiptEntryForm
    lostMessage={(await takeRefusedFormAndVisitorId(query.return)).returned?.values?.body}
    isClosed={isClosed}
  />
);

const describeReceipt = async (receipt: string | null | undefined) => ({
  receipt: receipt ?? "",
  address: `${env().baseUrl}/mailbox`,
  opened: await readOpenedMailboxTag(),
});

const renderOpened = async (
  mailbox: SerializedMailbox,
  { query, isJustSent }: { query: SearchParams; isJustSent: boolean },
): Promise<ReactNode> => (
  <>
    <MailboxLockReloader tag={await readOpenedMailboxTag()} />
    {mailbox.receipt ? await renderReceipt(mailbox, isJustSent) : await renderMailbox(mailbox, query)}
  </>
);

function MailboxLockReloader({ tag }: { tag: string }) {
  const t = useTranslator("mailbox");
  const leave = useTranslator("quickExit")("leave");
  const cover = { title: t("done.left"), text: t("covered.text"), open: t("covered.open"), leave };
  return <MailboxOrLetterboxLockReloader path="/mailbox" tag={tag} cover={cover} />;
}

/**
 * Renders the words of the receipt, below the emergency contacts if the report says that somebody is in danger. If the
 * report was just sent, also says who can read it.
 */
async function renderReceipt(mailbox: SerializedMailbox, isJustSent: boolean): Promise<ReactNode> {
  const { report, event, receipt, hiddenFrom, hiddenByName, referredTo, hasReader } = mailbox;
  const settings = await findEventReportSettingsOfPage(event.slug);
  const recipients = { isHidden: hiddenFrom.length > 0, isHiddenByName: hiddenByName, referredTo, hasReader };
  return (
    <>
      {settings && report.severity === "critical" && <EmergencyContactsNotice settings={settings} now sent />}
      <ReceiptView {...await describeReceipt(receipt)} isJustSent={isJustSent}>
        {isJustSent && (
          <NewReportReadersText
            event={event.name}
            conflictCheck={settings?.conflictCheck ?? false}
            {...recipients}
          />
        )}
      </ReceiptView>
    </>
  );
}

async function renderMailbox(mailbox: SerializedMailbox, query: SearchParams): Promise<ReactNode> {
  const opened = await readOpenedMailboxTag();
  const cookie = (await createPageCallContext()).mailbox;
  const { returned } = await takeRefusedFormAndVisitorId(
    query.return,
    cookie === null ? null : { cookie, tag: opened },
  );
  return (
    <MailboxView
      mailbox={mailbox}
      now={new Date()}
      files={readFileUploadResultFromQuery(query)}
      returned={returned}
      opened={opened}
    />
  );
}

/**
 * The frame of the page on a team member's device. It links neither to the mailbox nor to anything outside the event.
 */
function TeamDevicePage({ children }: { children: ReactNode }) {
  return (
    <NarrowFrame width="reading">
      <ClientMessagesProvider of={["ui", "receiptActions"]}>
        <ReloadOnBack />
        <div className="grid gap-8">{children}</div>
      </ClientMessagesProvider>
    </NarrowFrame>
  );
}

const RESULT_KINDS = {
  withdrawn: "success",
  closed: "success",
  left: "success",
  expired: "warning",
  other: "warning",
} as const satisfies Record<string, NoticeKind>;

function ActionResultNotice({ done }: { done: string }) {
  const t = useTranslator("mailbox");
  return (
    <MailboxOrLetterboxResultNotice
      done={done}
      kinds={RESULT_KINDS}
      describe={(result) => t(`done.${result}`)}
    />
  );
}
