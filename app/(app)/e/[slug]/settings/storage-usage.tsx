import { useLocale, useTranslator } from "#i18n";
import { ProgressBar } from "#components/ui/progress.tsx";
import { formatFileSize } from "#lib/design/file-size.ts";

/** The used share of the file storage quota; sizes in bytes. */
export function EventStorageUsageMeter({
  bytes,
  quota,
  files,
}: {
  bytes: number;
  quota: number;
  files: number;
}) {
  const t = useTranslator("eventAdmin");
  const locale = useLocale();
  const sizes = { used: formatFileSize(bytes, locale), quota: formatFileSize(quota, locale) };
  return (
    <div className="grid gap-2">
      <ProgressBar label={t("settings.spaceUsed", sizes)} value={bytes} max={quota} />
      <p className="text-sm text-muted">{t("settings.spaceAbout", { count: files })}</p>
    </div>
  );
}
