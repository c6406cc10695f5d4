import { randomUUID } from "node:crypto";
import { useTranslator } from "#i18n";
import { Notice, type NoticeKind } from "#components/ui/notice.tsx";
import { readSearchParam, type SearchParams } from "#lib/design/query.ts";
import { EVIDENCE_UPLOAD_LIMITS } from "#lib/incidents/schema.ts";
import { UntilSubmit } from "./until-submit.tsx";

const FILE_RESULT_KINDS = {
  files: "success",
  filesNone: "warning",
  filesType: "warning",
  filesSize: "warning",
  filesLater: "warning",
} as const satisfies Record<string, NoticeKind>;

type Props<Result extends string> = {
  /** Of the page's address. */
  done: string;
  /** Results that only this page has. */
  kinds: Readonly<Record<Result, NoticeKind>>;
  describe: (result: Result) => string;
};

/** Says how an action in a mailbox or letterbox went; nothing for an unknown result, or one of adding files. */
export function ResultNotice<Result extends string>({ done, kinds, describe }: Props<Result>) {
  if (!isKeyOf(kinds, done)) return null;
  return <LiveNotice kind={kinds[done]} text={describe(done)} />;
}

/** How adding files went, from the page's address. */
export type FilesResult = {
  done: string;
  /** Place of the refused file among those that were sent, if there were several. */
  number: number | null;
};

export function readFilesResult(query: SearchParams): FilesResult {
  const number = Number(readSearchParam(query, "file"));
  return {
    done: readSearchParam(query, "done") ?? "",
    number: Number.isInteger(number) && number > 0 && number <= EVIDENCE_UPLOAD_LIMITS.count ? number : null,
  };
}

/** Says how adding files went, beside the files: the page opens there. */
export function FilesResultNotice({ result: { done, number } }: { result: FilesResult }) {
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
    <UntilSubmit key={randomUUID()}>
      <Notice kind={kind} live>
        <p>{text}</p>
      </Notice>
    </UntilSubmit>
  );
}
