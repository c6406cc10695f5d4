import { useTranslator } from "#i18n";
import { TitledCallout } from "#components/event/titled-callout.tsx";

type ReturnedProps = { found: boolean; withoutAccount: boolean };

/**
 * A notice that the text of a refused form is back, or is gone. It may be gone because it was corrected and sent: going
 * back in the browser leads to this address then.
 */
export function RestoredOrLostReportTextNotice({ found, withoutAccount }: ReturnedProps) {
  const t = useTranslator("report");
  if (found)
    return (
      <TitledCallout title={t("returned")}>
        <p>{t("returnedFiles")}</p>
      </TitledCallout>
    );
  return (
    <TitledCallout title={t("gone")}>
      <p>{t(withoutAccount ? "goneWhyNoAccount" : "goneWhy")}</p>
      <ComeBackLink />
    </TitledCallout>
  );
}

function ComeBackLink() {
  const t = useTranslator("visitor");
  return (
    <p>
      <a href="/mailbox" className="text-link inline-flex min-h-11 items-center">
        {t("comeBack")}
      </a>
    </p>
  );
}
