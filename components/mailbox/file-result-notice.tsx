import { useTranslator } from "#i18n";
import { Notice, type NoticeKind } from "#components/ui/notice.tsx";

const FILE_RESULT_KINDS = {
  files: "success",
  filesNone: "warning",
  filesType: "warning",
  filesSize: "warning",
  filesLater: "warning",
} as const satisfies Record<string, NoticeKind>;

type FileResult = keyof typeof FILE_RESULT_KINDS;
const isFileResult = (done: string): done is FileResult => Object.hasOwn(FILE_RESULT_KINDS, done);

/** Says how adding files to a mailbox or letterbox went; nothing for any other result. */
export function FileResultNotice({ done }: { done: string }) {
  const t = useTranslator("mailbox");
  if (!isFileResult(done)) return null;
  return (
    <Notice kind={FILE_RESULT_KINDS[done]} live>
      <p>{t(`done.${done}`)}</p>
    </Notice>
  );
}
