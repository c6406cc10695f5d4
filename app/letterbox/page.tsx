import { cookies } from "next/headers";
import { useTranslator } from "#i18n";
import { LetterboxCodeEntry } from "./entry.tsx";
import { LetterboxView } from "./letterbox-view.tsx";
import { ClientMessages } from "#components/i18n/client-messages.tsx";
import { NarrowFrame } from "#components/shell/narrow-frame.tsx";
import { definePage } from "#components/shell/page.tsx";
import { Notice, type NoticeKind } from "#components/ui/notice.tsx";
import { readSearchParam, type SearchParams } from "#lib/design/query.ts";
import { createPageCall, loadOptionalPageData } from "#lib/http/page.ts";
import { getLostForm } from "#lib/http/page-status.ts";
import { getLetterbox } from "#lib/letterboxes/operations.ts";
import { letterboxCookie } from "#lib/letterboxes/session.ts";

type Props = { searchParams: Promise<SearchParams> };

/**
 * Where a reported person or a witness reads and writes letters: the field for their words, or their letterbox. It has no
 * title of its own, so that browser history doesn't show that they are part of a case.
 */
export default definePage(async function LetterboxPage({ searchParams }: Props) {
  const query = await searchParams;
  const page = Math.max(1, Number(readSearchParam(query, "page")) || 1);
  const hasCookie = (await cookies()).has(letterboxCookie.getName());
  const opened = hasCookie && (await loadOptionalPageData(getLetterbox, {}, { page: String(page) }));
  const lostText = getLostForm((await createPageCall()).requestId)?.body;
  return (
    <NarrowFrame width="reading">
      <ClientMessages of={["ui"]}>
        <div className="grid gap-8">
          <OutcomeNotice done={readSearchParam(query, "done") ?? ""} />
          {opened ? (
            <LetterboxView letterbox={opened.letterbox} />
          ) : (
            <LetterboxCodeEntry lostText={lostText} />
          )}
        </div>
      </ClientMessages>
    </NarrowFrame>
  );
}, NarrowFrame);

const OUTCOME_KINDS = {
  left: "success",
  expired: "warning",
} as const satisfies Record<string, NoticeKind>;

/** How adding files went; its texts are those of a mailbox. */
const FILE_OUTCOME_KINDS = {
  files: "success",
  filesNone: "warning",
  filesType: "warning",
  filesSize: "warning",
  filesLater: "warning",
} as const satisfies Record<string, NoticeKind>;

function OutcomeNotice({ done }: { done: string }) {
  const t = useTranslator("letterbox");
  const tMailbox = useTranslator("mailbox");
  const own = Object.hasOwn(OUTCOME_KINDS, done) ? (done as keyof typeof OUTCOME_KINDS) : null;
  const file = Object.hasOwn(FILE_OUTCOME_KINDS, done) ? (done as keyof typeof FILE_OUTCOME_KINDS) : null;
  if (!own && !file) return null;
  return (
    <Notice kind={own ? OUTCOME_KINDS[own] : FILE_OUTCOME_KINDS[file as "files"]} live>
      <p>{own ? t(`done.${own}`) : tMailbox(`done.${file as "files"}`)}</p>
    </Notice>
  );
}
