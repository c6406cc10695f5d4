import type { ReactNode } from "react";
import { useTranslator } from "#i18n";
import { EmergencyContactsNotice } from "#components/event/emergency-notice.tsx";
import { findEventReportSettingsOfPage, loadQuickExitTarget } from "#components/event/event-data.ts";
import { NewReportReadersText } from "#components/event/new-report-readers.tsx";
import { QuickExit } from "#components/incident/quick-exit.tsx";
import { ReloadOnBack } from "#components/intake/reload-on-back.tsx";
import { MailboxEntryForm } from "./entry.tsx";
import { MailboxView, type SerializedMailbox } from "./mailbox-view.tsx";
import { OtherMailboxView } from "./other-mailbox-view.tsx";
import { ReceiptRemovedFromDeviceView, ReceiptHandoverView, ReceiptView } from "./receipt-view.tsx";
import { MailboxLockBroadcaster, MailboxLockReloader } from "#components/mailbox/lock-sync.tsx";
import { readFileUploadResultFromQuery, MailboxResultNotice } from "#components/mailbox/result-notice.tsx";
import { NarrowFrame } from "#components/shell/narrow-frame.tsx";
import { definePage } from "#components/shell/page.tsx";
import type { NoticeKind } from "#components/ui/notice.tsx";
import { ClientMessagesProvider } from "#components/i18n/client-messages.tsx";
import { readSingleSearchParam, type SearchParams } from "#lib/design/query.ts";
import { env } from "#lib/env.ts";
import { createPageCallContext, loadOptionalPageData } from "#lib/http/page.ts";
import { takeRefusedFormAndVisitorId } from "#lib/http/visitor-form.ts";
import { isMailboxClosed } from "#lib/conversations/closed.ts";
import { isReceiptShownOnTeamDevice } from "#lib/conversations/hand-over.ts";
import { showMailbox } from "#lib/conversations/operations.ts";
import { readOpenedMailboxTag, readOpenedMailboxSession } from "./opened-mailbox.ts";

type Props = { searchParams: Promise<SearchParams> };

/**
 * The page that seven words open: the field for them, the words of a report that was just sent, or the conversation that
 * was opened. It has no title of its own, so that browser history doesn't show that somebody reported or is part of a
 * case.
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
  const report = mailbox?.party === "reporter" ? mailbox : null;
  const exit = await loadQuickExitTarget(report?.event.slug ?? null);
  return (
    <NarrowFrame width="reading" home={report ? `/e/${report.event.slug}` : "/"}>
      <ClientMessagesProvider of={["ui", "quickExit", "receiptActions"]}>
        <QuickExit {...exit} />
        {!mailbox && <MailboxLockBroadcaster />}
        <div className="grid gap-8 pb-28 xl:pb-0">
          <ActionResultNotice done={isClosed ? "closed" : done} />
          {mailbox ? await renderOpened(mailbox, query) : await renderEntry(query, isClosed)}
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
  <MailboxEntryForm
    lostMessage={(await takeRefusedFormAndVisitorId(query.return)).returned?.values?.body}
    isClosed={isClosed}
  />
);

const describeReceipt = async (receipt: string | null | undefined) => ({
  receipt: receipt ?? "",
  address: `${env().baseUrl}/mailbox`,
  opened: await readOpenedMailboxTag(),
});

const renderOpened = async (mailbox: SerializedMailbox, query: SearchParams): Promise<ReactNode> => (
  <>
    <LockReloader tag={await readOpenedMailboxTag()} />
    {mailbox.party === "reporter" && mailbox.receipt
      ? await renderReceipt(mailbox)
      : await renderMailbox(mailbox, query)}
  </>
);

function LockReloader({ tag }: { tag: string }) {
  const t = useTranslator("mailbox");
  const leave = useTranslator("quickExit")("leave");
  const cover = { title: t("done.left"), text: t("covered.text"), open: t("covered.open"), leave };
  return <MailboxLockReloader tag={tag} cover={cover} />;
}

/**
 * Renders the words of a report that was just sent, and who can read it, below the emergency contacts if the report says
 * that somebody is in danger.
 */
async function renderReceipt(mailbox: SerializedMailbox & { party: "reporter" }): Promise<ReactNode> {
  const { report, event, receipt, hiddenFrom, hiddenByName, outsidePerson, hasReader } = mailbox;
  const settings = await findEventReportSettingsOfPage(event.slug);
  const recipients = {
    isHidden: hiddenFrom.length > 0,
    isHiddenByName: hiddenByName,
    outsidePerson,
    hasReader,
  };
  return (
    <>
      {settings && report.severity === "critical" && <EmergencyContactsNotice settings={settings} now sent />}
      <ReceiptView {...await describeReceipt(receipt)}>
        <NewReportReadersText
          event={event.name}
          conflictCheck={settings?.conflictCheck ?? false}
          {...recipients}
        />
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
  const sending = { files: readFileUploadResultFromQuery(query), returned, opened };
  return mailbox.party === "reporter" ? (
    <MailboxView mailbox={mailbox} now={new Date()} {...sending} />
  ) : (
    <OtherMailboxView mailbox={mailbox} {...sending} />
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
  return <MailboxResultNotice done={done} kinds={RESULT_KINDS} describe={(result) => t(`done.${result}`)} />;
}
