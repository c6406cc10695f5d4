import { useTranslator } from "#i18n";
import { Notice, type NoticeKind } from "#components/ui/notice.tsx";

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

/** Says how an action in a mailbox or letterbox went, adding files among them; nothing for an unknown result. */
export function ResultNotice<Result extends string>({ done, kinds, describe }: Props<Result>) {
  const t = useTranslator("mailbox");
  if (isKeyOf(kinds, done)) return <LiveNotice kind={kinds[done]} text={describe(done)} />;
  if (isKeyOf(FILE_RESULT_KINDS, done))
    return <LiveNotice kind={FILE_RESULT_KINDS[done]} text={t(`done.${done}`)} />;
  return null;
}

const isKeyOf = <Key extends string>(kinds: Readonly<Record<Key, unknown>>, text: string): text is Key =>
  Object.hasOwn(kinds, text);

function LiveNotice({ kind, text }: { kind: NoticeKind; text: string }) {
  return (
    <Notice kind={kind} live>
      <p>{text}</p>
    </Notice>
  );
}
