import { useTranslator } from "#i18n";
import { buildButtonClass } from "#components/ui/button-class.ts";
import { IconWithoutScript } from "#components/ui/icon-without-script.tsx";
import { downloadIcon } from "#lib/design/icons.ts";
import { EVIDENCE_UPLOAD_LIMITS } from "#lib/incidents/schema.ts";
import { type FileUploadResult, FileUploadNotice } from "./result-notice.tsx";
import { MailboxSection } from "./mailbox-section.tsx";

const MEBIBYTE = 1024 * 1024;

type Props = {
  title: string;
  /** Shown when there are no files. */
  empty: string;
  /** `note` names the person or side who added the file. */
  files: readonly { id: string; filename: string; note?: string }[];
  result: FileUploadResult;
  /** Id of the form to which the file fields belong, so that sending files sends its text as well. */
  form: string;
};

/** The files of a mailbox, and fields that add some. */
export function MailboxFilesSection({ title, empty, files, result, form }: Props) {
  return (
    <MailboxSection id="files" title={title}>
      <FileUploadNotice result={result} />
      {files.length === 0 && <p className="text-muted">{empty}</p>}
      <ul className="grid gap-2">
        {files.map(({ id, filename, note }) => (
          <li key={id} className="flex flex-wrap items-center gap-x-3">
            <a
              href={`/api/mailbox/files/${id}/download`}
              className="text-link inline-flex min-h-11 items-center gap-2 wrap-anywhere"
            >
              <IconWithoutScript of={downloadIcon} />
              <bdi>{filename}</bdi>
            </a>
            {note && <span className="text-sm text-muted">{note}</span>}
          </li>
        ))}
      </ul>
      <AddFilesFields form={form} />
    </MailboxSection>
  );
}

function AddFilesFields({ form }: Pick<Props, "form">) {
  const t = useTranslator("mailbox");
  const limits = { count: EVIDENCE_UPLOAD_LIMITS.count, size: EVIDENCE_UPLOAD_LIMITS.bytesEach / MEBIBYTE };
  return (
    <div className="grid max-w-[68ch] justify-items-start gap-3">
      <label className="grid w-full gap-1.5">
        <span className="font-[550]">{t("addFiles")}</span>
        <span className="text-sm text-muted">{t("addFilesHint", limits)}</span>
        <input type="file" name="relatedFiles" multiple form={form} className="control" />
      </label>
      <button type="submit" name="sends" value="files" form={form} className={buildButtonClass()}>
        {t("addFilesSend")}
      </button>
    </div>
  );
}
