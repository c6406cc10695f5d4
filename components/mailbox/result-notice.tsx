import { randomUUID } from "node:crypto";
import { useTranslator } from "#i18n";
import { Notice, type NoticeKind } from "#components/ui/notice.tsx";
import { readSingleSearchParam, type SearchParams } from "#lib/design/query.ts";
import { EVIDENCE_UPLOAD_LIMITS } from "#lib/incidents/schema.ts";
import { HideOnSubmit } from "./hide-on-submit.tsx";

const FILE_RESULT_KINDS = {
  files: "success",
  filesNone: "warning",
  filesType: "warning",
  filesSize: "warning",
  filesLater: "warning",
} as const satisfies Record<string, NoticeKind>;

type Props<Result extends string> = {
  /** The value of `done` in the page's URL. */
  done: string;
  /** The results of this page, with the kind of notice for each. */
  kinds: Readonly<Record<Result, NoticeKind>>;
  describe: (result: Result) => string;
};

/**
 * Shows the result of an action in a mailbox; renders nothing for an unknown result, or one of adding
 * files.
 */
export function MailboxResultNotice<Result extends string>({ done, kinds, describe }: Props<Result>) {
  if (!isKeyOf(kinds, done)) return null;
  return <LiveNotice kind={kinds[done]} text={describe(done)} />;
}

/** The result of adding files, from the page's URL. */
export type FileUploadResult = {
  done: string;
  /** Position of the refused file among those that were sent, if there were several. */
  number: number | null;
};

export function readFileUploadResultFromQuery(query: SearchParams): FileUploadResult {
  const number = Number(readSingleSearchParam(query, "file"));
  return {
    done: readSingleSearchParam(query, "done") ?? "",
    number: Number.isInteger(number) && number > 0 && number <= EVIDENCE_UPLOAD_LIMITS.count ? number : null,
  };
}

/** Shows the result of adding files next to the files, where the page opens. */
export function FileUploadNotice({ result: { done, number } }: { result: FileUploadResult }) {
  const t = useTranslator("mailbox");
  if (!isKeyOf(FILE_RESULT_KINDS, done)) return null;
  const text =
    done === "filesType" && number !== null ? t("done.filesTypeNumbered", { number }) : t(`done.${done}`);
  return <LiveNotice kind={FILE_RESULT_KINDS[done]} text={text} />;
}

const isKeyOf = <Key extends string>(kinds: Readonly<Record<Key, unknown>>, text: string): text is Key =>
  Object.hasOwn(kinds, text);

function LiveNotice({ kind, text }: { kind: NoticeKind; text: string }) {
  return (
    // A new key for each response: the same result is shown again.
    <HideOnSubmit key={randomUUID()}>
      <Notice kind={kind} live>
        <p>{text}</p>
      </Notice>
    </HideOnSubmit>
  );
}
