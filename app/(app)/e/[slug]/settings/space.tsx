import { useLocale, useWords } from "#words";
import { Progress } from "#components/ui/progress.tsx";
import { fileSize } from "#lib/design/file-size.ts";

/** How much of the room for files is taken; sizes in bytes. */
export function Space({ bytes, quota, files }: { bytes: number; quota: number; files: number }) {
  const t = useWords("eventAdmin");
  const locale = useLocale();
  const sizes = { used: fileSize(bytes, locale), quota: fileSize(quota, locale) };
  return (
    <div className="grid gap-2">
      <Progress label={t("settings.spaceUsed", sizes)} value={bytes} max={quota} />
      <p className="text-sm text-muted">{t("settings.spaceAbout", { count: files })}</p>
    </div>
  );
}
