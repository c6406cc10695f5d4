import { useTranslator } from "#i18n";
import { buildButtonClass } from "#components/ui/button-class.ts";

/** Covers the form of somebody who was signed out meanwhile. */
export function SignedOutCoverText() {
  const t = useTranslator("live");
  const ui = useTranslator("ui");
  return (
    <section role="alert" className="grid gap-4 rounded-surface border border-line bg-surface p-4 sm:p-6">
      <h2 className="text-xl">{t("signedOut.title")}</h2>
      <p>{t("signedOut.text")}</p>
      <a
        href="/login?next=%2Fsigned-in"
        target="_blank"
        rel="noopener"
        className={buildButtonClass("primary", "justify-self-start")}
      >
        {ui("signInNewTab")}
      </a>
    </section>
  );
}
