import type { ReactNode } from "react";
import { useTranslator } from "#i18n";
import { cloudExclamationPointIcon } from "#lib/design/icons.ts";
import { MessagePage } from "./message-page.tsx";

type Props = {
  /** Helps the operator to find the error in the log. */ reference?: string;
  actions: ReactNode;
};

/** An error on our side. Rendered on the server and, by the error boundaries, in the browser. */
export function ServerErrorMessage({ reference, actions }: Props) {
  const t = useTranslator("failure");
  return (
    <MessagePage icon={cloudExclamationPointIcon} title={t("title")} actions={actions}>
      <p>{t("text")}</p>
      <ErrorReference value={reference} />
    </MessagePage>
  );
}

/** The id by which operators find the error in their log. */
export function ErrorReference({ value }: { value: string | undefined }) {
  const t = useTranslator("failure");
  if (!value) return null;
  return (
    <p className="text-base">
      {t("reference")}
      <code dir="ltr" className="block text-sm wrap-anywhere text-ink">
        {value}
      </code>
    </p>
  );
}
