import { useTranslator } from "#i18n";

/** Placeholder bars for text that is loading. `lines` is their number. */
export function Skeleton({ lines = 3, label }: { lines?: number; label?: string }) {
  const t = useTranslator("ui");
  return (
    <div role="status" className="grid gap-3">
      <span className="sr-only">{label ?? t("loading")}</span>
      {Array.from({ length: lines }, (_, at) => (
        <span key={at} aria-hidden className="h-4 w-full animate-pulse rounded-control bg-line last:w-2/3" />
      ))}
    </div>
  );
}
