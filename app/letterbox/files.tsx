import { useTranslator } from "#i18n";
import { buildButtonClass } from "#components/ui/button-class.ts";
import { StaticIcon } from "#components/ui/static-icon.tsx";
import { downloadIcon } from "#lib/design/icons.ts";
import { EVIDENCE_UPLOAD_LIMITS } from "#lib/incidents/schema.ts";
import type { OpenedLetterboxData } from "./letterbox-view.tsx";

const MEBIBYTE = 1024 * 1024;

/** The holder's files, and a form that adds some. It is posted as it is, with and without script. */
export function LetterboxFiles({ files }: { files: OpenedLetterboxData["files"] }) {
  const t = useTranslator("letterbox");
  return (
    <section id="files" aria-labelledby="files-title" className="grid gap-4 border-t border-line pt-6">
      <h2 id="files-title" className="text-xl">
        {t("files")}
      </h2>
      {files.length === 0 && <p className="text-muted">{t("noFiles")}</p>}
      <ul className="grid gap-2">
        {files.map(({ id, filename }) => (
          <li key={id}>
            <a
              href={`/api/letterbox/files/${id}/download`}
              className="text-link inline-flex min-h-11 items-center gap-2 wrap-anywhere"
            >
              <StaticIcon of={downloadIcon} />
              <bdi>{filename}</bdi>
            </a>
          </li>
        ))}
      </ul>
      <AddFilesForm />
    </section>
  );
}

function AddFilesForm() {
  const tMailbox = useTranslator("mailbox");
  const limits = { count: EVIDENCE_UPLOAD_LIMITS.count, size: EVIDENCE_UPLOAD_LIMITS.bytesEach / MEBIBYTE };
  return (
    <form
      action="/letterbox/add"
      method="post"
      encType="multipart/form-data"
      className="grid max-w-[68ch] justify-items-start gap-3"
    >
      <label className="grid w-full gap-1.5">
        <span className="font-[550]">{tMailbox("addFiles")}</span>
        <span className="text-sm text-muted">{tMailbox("addFilesHint", limits)}</span>
        <input type="file" name="relatedFiles" multiple required className="control" />
      </label>
      <button type="submit" className={buildButtonClass()}>
        {tMailbox("addFilesSend")}
      </button>
    </form>
  );
}
