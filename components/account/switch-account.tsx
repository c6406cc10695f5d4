import { useTranslator } from "#i18n";
import { buttonClass } from "#components/ui/button-class.ts";
import { switchAccountAction } from "./actions.ts";

/** Signs out and returns to `next` with another account. Works without script. */
export function SwitchAccountForm({ next }: { next: string }) {
  const t = useTranslator("shell");
  return (
    <form action={switchAccountAction}>
      <input type="hidden" name="next" value={next} />
      <button type="submit" className={buttonClass()}>
        {t("otherAccount")}
      </button>
    </form>
  );
}
