import { useTranslator } from "#i18n";
import { Notice } from "#components/ui/notice.tsx";
import { isLoopbackUrl } from "#lib/design/loopback-url.ts";
import { env } from "#lib/env.ts";

/** Warns on pages with links, QR codes or posters while the service's address works on this computer only. */
export function LocalAddressNotice() {
  const t = useTranslator("ui");
  const { baseUrl } = env();
  if (!isLoopbackUrl(baseUrl)) return null;
  return (
    <Notice kind="warning" title={t("localAddress")} className="no-print">
      <p className="wrap-anywhere">{t("localAddressWhy", { address: baseUrl })}</p>
    </Notice>
  );
}
