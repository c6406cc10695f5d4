import { LocalAddressNotice } from "#components/shell/local-address-notice.tsx";
import { CopyField } from "#components/ui/copy-field.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { buildButtonClass } from "#components/ui/button.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { env } from "#lib/env.ts";
import { useTranslator } from "#i18n";

type Props = {
  /** The first three are shown. */ events: readonly { id: string; name: string; slug: string }[];
};

/** Shown before the first report: what people need in order to report. */
export function NoReportsState({ events }: Props) {
  const t = useTranslator("inbox");
  return (
    <EmptyState icon="inbox" title={t("none")}>
      <div className="grid max-w-lg gap-6">
        <p>{t("noneHint")}</p>
        <LocalAddressNotice />
        {events.slice(0, 3).map(({ id, name, slug }) => (
          <div key={id} className="grid gap-3 text-ink">
            <CopyField label={t("publicLink", { name })} value={`${env().baseUrl}/e/${slug}`} />
            <img
              src={`/api/events/${id}/qr`}
              alt={t("qr", { name })}
              width={160}
              height={160}
              className="rounded-control border border-line bg-white p-2"
            />
            <a
              href={`/api/events/${id}/qr`}
              download={`${slug}-qr.svg`}
              className={buildButtonClass("secondary", "justify-self-start")}
            >
              <Icon as="qr-code" /> {t("printQr")}
            </a>
          </div>
        ))}
      </div>
    </EmptyState>
  );
}
