import clsx from "clsx";
import { useTranslator } from "#i18n";
import { TextLink } from "#components/ui/link.tsx";
import { Notice } from "#components/ui/notice.tsx";

/**
 * Shown above each signed-in page while the account's email is unverified.
 * @param besideExit whether to leave room for the page's quick exit
 */
export function UnverifiedEmailNotice({
  email,
  besideExit: hasQuickExit,
}: {
  email: string;
  besideExit: boolean;
}) {
  const t = useTranslator("shell");
  return (
    <Notice title={t("unverified.title")} className={clsx("no-print mb-6", hasQuickExit && "xl:me-60")}>
      <p>
        {t.rich("unverified.text", {
          email,
          b: (chunks) => (
            <bdi key="email" className="wrap-anywhere">
              {chunks}
            </bdi>
          ),
        })}
      </p>
      <TextLink href="/account#email" className="inline-flex min-h-11 w-fit items-center">
        {t("unverified.link")}
      </TextLink>
    </Notice>
  );
}
