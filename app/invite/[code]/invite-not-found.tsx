import { useTranslator } from "#i18n";
import { MessagePage } from "#components/shell/message-page.tsx";
import { NarrowFrame } from "#components/shell/narrow-frame.tsx";
import { buildButtonClass } from "#components/ui/button-class.ts";
import { mailQuestionMarkIcon } from "#lib/design/icons.ts";

/** Shown instead of the general 404: an invited person needs other help than one who mistyped a URL. */
export function InviteNotFound() {
  const t = useTranslator("invite");
  const shell = useTranslator("shell");
  return (
    <NarrowFrame>
      <MessagePage
        icon={mailQuestionMarkIcon}
        title={t("none")}
        actions={
          <a href="/" className={buildButtonClass()}>
            {shell("toStart")}
          </a>
        }
      >
        <p>{t("noneAbout")}</p>
      </MessagePage>
    </NarrowFrame>
  );
}
