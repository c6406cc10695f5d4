import { useEffect, useState } from "react";
import { useLocale, useTranslator } from "#i18n";
import type { ChosenFilesState } from "./chosen-files.tsx";
import type { PhotoContents } from "./photo-reveals.ts";

/** What the list of chosen files says of each, and asks about it. Loaded once a file is chosen. */

/**
 * Description of one file. It isn't a field of the form: with script, the descriptions are sent in the order
 * of the files.
 */
export function FileDescriptionField({
  files,
  file,
  max,
}: {
  files: ChosenFilesState;
  file: File;
  max: number;
}) {
  const t = useTranslator("chosenFiles");
  const ui = useTranslator("ui");
  return (
    <label className="grid gap-1 pe-3 pb-3">
      <span className="text-sm font-[550]">
        {t("shows")}
        <span className="sr-only">: {file.name}</span>
        <span className="font-normal text-muted"> {ui("optional")}</span>
      </span>
      <input
        dir="auto"
        className="control"
        value={files.lineOf(file)}
        maxLength={max}
        autoComplete="off"
        onChange={(event) => files.describe(file, event.target.value)}
      />
    </label>
  );
}

/** Photo types that get a copy without hidden data; other files keep theirs. */
const CLEANABLE_TYPE_PATTERN = /^image\/(jpeg|png|webp|heic|heif|gif|avif|bmp)$/;
/** Most browsers don't know the type of a HEIC photo. */
const getMediaType = ({ name, type }: File): string => (/\.hei[cf]$/i.test(name) ? "image/heic" : type);

/** Says what a file reveals, and what its copy will lack; nothing while it is being read. */
export function HiddenDataText({ file }: { file: File }) {
  const text = useHiddenDataText(file);
  return text && <p className="text-sm text-muted">{text}</p>;
}

function useHiddenDataText(file: File): string | undefined {
  const t = useTranslator("chosenFiles");
  const locale = useLocale();
  const kind = getMediaType(file);
  const photo = kind.startsWith("image/");
  const [contents, setContents] = useState<PhotoContents | "unread">();
  useEffect(() => {
    let isCurrent = photo;
    if (photo)
      import("./photo-reveals.ts")
        .then(({ inspectPhoto }) => inspectPhoto(file))
        .then(
          (found) => isCurrent && setContents(found),
          () => isCurrent && setContents("unread"),
        );
    return () => void (isCurrent = false);
  }, [file, photo]);
  if (kind === "text/plain") return undefined;
  if (!photo || contents === "unread") return t("reveals.unread");
  if (!contents) return undefined;
  const lost = contents.lost.map((part) => t(`lost.${part}`));
  if (contents.reveals.length === 0) return [t("reveals.nothing"), ...lost].join(" ");
  const list = new Intl.ListFormat(locale, { type: "conjunction" });
  const kinds = list.format(contents.reveals.map((reveal) => t(`reveals.${reveal}`)));
  const key = CLEANABLE_TYPE_PATTERN.test(kind) ? "reveals.cleaned" : "reveals.notRemoved";
  return [t(key, { kinds }), ...lost].join(" ");
}
