import { useTranslator } from "#i18n";
import { LetterboxCodeEntryForm } from "./entry.tsx";
import { LetterboxView } from "./letterbox-view.tsx";
import { ClientMessagesProvider } from "#components/i18n/client-messages.tsx";
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
import { readSingleSearchParam, type SearchParams } from "#lib/design/query.ts";
import { findOpenedMailboxOrLetterboxFormTag } from "#lib/http/opened-tag.ts";
import { createPageCallContext, loadOptionalPageData } from "#lib/http/page.ts";
import { takeRefusedFormAndVisitorId } from "#lib/http/visitor-form.ts";
import { showLetterbox } from "#lib/letterboxes/operations.ts";

type Props = { searchParams: Promise<SearchParams> };

/**
 * The page on which a reported person or a witness reads and writes letters: the field for their words, or their
 * letterbox. It has no title of its own, so that browser history doesn't show that they are part of a case.
 */
export default definePage(async function LetterboxPage({ searchParams }: Props) {
  const query = await searchParams;
  const page = Math.max(1, Number(readSingleSearchParam(query, "page")) || 1);
  const done = readSingleSearchParam(query, "done") ?? "";
  const call = await createPageCallContext();
  // The sent form belonged to another letterbox: its text must not appear in the one that is open.
  const opened =
    call.letterbox !== null &&
    done !== "other" &&
    (await loadOptionalPageData(showLetterbox, {}, { page: String(page) }));
  const tag = (await findOpenedMailboxOrLetterboxFormTag("letterbox.use", call)) ?? "";
  const { returned } = await takeRefusedFormAndVisitorId(
    query.return,
    opened && call.letterbox !== null ? { cookie: call.letterbox, tag } : null,
  );
  return (
    <NarrowFrame width="reading">
      <ClientMessagesProvider of={["ui"]}>
        {opened ? (
          <LetterboxLockReloader tag={tag} />
        ) : (
          <MailboxOrLetterboxLockBroadcaster path="/letterbox" />
        )}
        <div className="grid gap-8">
          <ActionResultNotice done={done} />
          {opened ? (
            <LetterboxView
              letterbox={opened.letterbox}
              files={readFileUploadResultFromQuery(query)}
              returned={returned}
              opened={tag}
            />
          ) : (
            <LetterboxCodeEntryForm lostText={returned?.values?.body} />
          )}
        </div>
      </ClientMessagesProvider>
    </NarrowFrame>
  );
}, NarrowFrame);

function LetterboxLockReloader({ tag }: { tag: string }) {
  const t = useTranslator("letterbox");
  const cover = { title: t("covered.title"), text: t("covered.text"), open: t("covered.open") };
  return <MailboxOrLetterboxLockReloader path="/letterbox" tag={tag} cover={cover} />;
}

const RESULT_KINDS = {
  left: "success",
  expired: "warning",
  other: "warning",
} as const satisfies Record<string, NoticeKind>;

function ActionResultNotice({ done }: { done: string }) {
  const t = useTranslator("letterbox");
  return (
    <MailboxOrLetterboxResultNotice
      done={done}
      kinds={RESULT_KINDS}
      describe={(result) => t(`done.${result}`)}
    />
  );
}
